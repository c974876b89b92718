// Reads texts as kubectl reads the files of its flag -f: the same calls as the visitors of k8s.io/cli-runtime make.
//
// Each line of stdin is the base64 of a file. Each line of stdout is JSON: the documents up to the first error, the
// error, which is empty where there is none, and whether kubectl silently passes over a part of the file.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	goyaml "sigs.k8s.io/yaml/goyaml.v2"
)

type answer struct {
	Documents []any  `json:"documents"`
	Error     string `json:"error"`
	Partial   bool   `json:"partial"`
}

// What kubectl looks ahead to tell JSON from YAML.
const bufferSize = 4096

// The text of a file, as FileVisitor decodes it.
func decoded(file []byte) io.Reader {
	return transform.NewReader(bytes.NewReader(file), unicode.BOMOverride(unicode.UTF8.NewDecoder()))
}

// The decoder reads one document of each text between separators. Whether more follows it there.
func isPartial(file []byte) bool {
	text, err := io.ReadAll(decoded(file))
	if err != nil || yaml.IsJSONBuffer(text[:min(len(text), bufferSize)]) {
		return false
	}
	pieces := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		piece, err := pieces.Read()
		if err != nil {
			return false
		}
		documents := goyaml.NewDecoder(bytes.NewReader(piece))
		var document any
		if documents.Decode(&document) == nil && !errors.Is(documents.Decode(&document), io.EOF) {
			return true
		}
	}
}

// As StreamVisitor reads.
func read(file []byte) (read answer) {
	read.Documents = []any{}
	read.Partial = isPartial(file)
	decoder := yaml.NewYAMLOrJSONDecoder(decoded(file), bufferSize)
	for {
		raw := runtime.RawExtension{}
		if err := decoder.Decode(&raw); err != nil {
			if !errors.Is(err, io.EOF) {
				read.Error = err.Error()
			}
			return
		}
		raw.Raw = bytes.TrimSpace(raw.Raw)
		if len(raw.Raw) == 0 || bytes.Equal(raw.Raw, []byte("null")) {
			continue
		}
		var document any
		if err := kjson.UnmarshalCaseSensitivePreserveInts(raw.Raw, &document); err != nil {
			read.Error = err.Error()
			return
		}
		read.Documents = append(read.Documents, document)
	}
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		file, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(line)))
		if err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(read(file)); err != nil {
			log.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
