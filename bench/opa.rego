# The peer of the webhook's benchmark: five checks of a RateLimitPolicy, as a cluster that runs OPA would write them.
package system

main := {
	"apiVersion": "admission.k8s.io/v1",
	"kind": "AdmissionReview",
	"response": response,
}

response := {"uid": input.request.uid, "allowed": true} if count(deny) == 0

response := {
	"uid": input.request.uid,
	"allowed": false,
	"status": {"code": 422, "message": concat("; ", deny)},
} if {
	count(deny) > 0
}

spec := input.request.object.spec

limits := object.get(spec, ["rateLimit", "local", "rules"], [])

deny contains "targetRefs names a Gateway together with routes" if {
	kinds := {target.kind | some target in spec.targetRefs}
	"Gateway" in kinds
	count(kinds) > 1
}

deny contains sprintf("rejectCode is %v, and must be 400 to 599", [code]) if {
	code := spec.rateLimit.rejectCode
	not in_range(code)
}

in_range(code) if {
	code >= 400
	code <= 599
}

deny contains sprintf("rules[%d].rate is %q, which is no rate", [index, limit.rate]) if {
	some index, limit in limits
	not regex.match(`^[0-9]+r/[sm]$`, limit.rate)
}

deny contains sprintf("rules[%d].zoneSize is %q, which is no size", [index, limit.zoneSize]) if {
	some index, limit in limits
	limit.zoneSize
	not regex.match(`^[0-9]{1,4}[kmg]?$`, limit.zoneSize)
}

deny contains sprintf("rules[%d].key is %q, which is no key", [index, limit.key]) if {
	some index, limit in limits
	not regex.match(`^([^ \t\r\n;{}#$]|\$\w)+$`, limit.key)
}
