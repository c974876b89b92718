/**
 * Passwords that whoever guesses tries first: of the 20,000 most common ones that leaked (collected by Royce Williams, as
 * Django has them in its validators) those that are long enough, and the words with which most of the others begin.
 */

/** Of at least 12 characters, in lower case, but for those that {@link isCommonPassword} knows by their form. */
const COMMON = new Set(
  `
  q1w2e3r4t5y6 1qaz2wsx3edc 111222tianya 1q2w3e4r5t6y qwerty123456 123qweasdzxc 123456qwerty megaparol12345
  123456654321 telechargement qazwsxedcrfv 1q2w3e4r5t6y7u8i9o0p 123456789123 112233445566 justinbieber
  123456789987654321 qweasdzxc123 123456789123456789 qwertyuiop[] qazwsxedc123 password1234 international temppassword
  1q2w3e4r5t6y7u professional qwertyuiop123 qwerasdfzxcv leavemealone finalfantasy 123456789abc administrator
  zxcasdqwe123 demon1q2w3e4r jamesbond007 asdfghjkl123 demon1q2w3e4r5t ichliebedich playstation3 123456789qwe
  sonyericsson 1qazxsw23edc linkedin2011 1q2w3e4r5t6y7u8i ihatethisgame 123456789asd seniseviyorum 010203040506
  onedirection transformers 1q2w3e4r5t6y7u8i9o supernatural sonnenschein password12345 peanutbutter
  12345678900987654321 1qaz2wsx3edc4rfv qwertyuiop12 needforspeed 1234567890-= 1234567891011 liverpool123 playstation2
  internazionale 123456789123456 102030405060 abc123456789 ingodwetrust 12345678901234567890 qwertyasdfgh
  1234567890qwertyuiop jesuslovesme avrillavigne ilovemyfamily counterstrike stratocaster qwertyytrewq
  1234567891234567 123admin321a 123456789qwerty qazwsxedcrfvtgb q1w2e3r4t5y6u7i8o9p0 qazxswedcvfr password123456
  123456789qaz hannahmontana 123456789101112 1234567890123 12345678987654321 cookiemonster qwerty123456789
  edwardcullen cosmopolitan michaeljackson zaq1xsw2cde3 minecraft123 moderncombat przyjaciolki residentevil
  123456789000 manchesterunited 1234567890987654321
`
    .trim()
    .split(/\s+/),
)

/** They are as common with a number or a sign around them. */
const WORDS = new Set(
  `
  aaaaaa abcdef abcdefg adidas admin administrator alexander alexis amanda america andrea andrew angel angela angels
  anthony antonio apple arsenal asdasd asdf asdfasdf asdfgh asdfghjkl ashley austin autumn azerty babygirl bailey
  banana bandit barcelona baseball basketball batman benjamin brandon bubbles buster butterfly carlos casper changeme
  charlie cheese chelsea chester chicken chocolate christian cocacola company computer cookie daniel danielle david
  december default destiny diamond dragon edward elizabeth eminem family ferrari flower football forever freedom
  friday friend friends gabriel george gfhjkm ghbdtn ginger golfer google hahaha hannah harley heather hockey hunter
  iloveu iloveyou internet jackson january jasmine jasper jennifer jessica jesus jonathan jordan joseph joshua junior
  justin juventus lauren letmein linkedin liverpool london love lovely loveme lovers loveyou madison maggie marina
  martin master matrix matthew melissa mercedes metallica michael mickey monday money monica monkey monster morgan
  mother mustang mylove myspace naruto natasha nathan nginx nicholas nicole nikita nirvana november oliver orange
  pakistan parola password patrick peanut pepper pokemon prince princess purple qazwsx qazwsxedc qazxsw qqqqqq qwaszx
  qweasd qweasdzxc qweqwe qwert qwerty qwertyu qwertyui qwertyuiop rachel rainbow richard robert ronaldo samantha
  samsung samuel sandra school scooter secret shadow silver slipknot sluice smokey snoopy soccer sophie spiderman
  spring starwars stella steven success summer sunshine superman sweety taylor tennis thomas tigger tinkerbell
  valentina vanessa victor victoria welcome whatever william winter xxxxxx yamaha yellow zxcvbn zxcvbnm zzzzzz
`
    .trim()
    .split(/\s+/),
)

/** True for one of the most common passwords, such as `qwerty123456`, `Password2026!!`, `abcabcabcabc` or `123456789012`. */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  const letters = [...text]
  // Whoever writes it a second time has written  new.
  const piece = text.slice(0, (text + text).indexOf(text, 1))
  const word = /[a-z](?:.*[a-z])?/s.exec(text)?.[0] ?? ''
  const around = text.length - word.length
  return (
    COMMON.has(text) || (piece !== text && piece.length <= 12) || (around <= 8 && WORDS.has(word)) || isRun(letters)
  )
}

/** True where each character is the next one, the one before, or the same; after 9 comes 0. */
function isRun(letters: readonly string[]): boolean {
  const steps = new Set(
    letters.slice(1).map((letter, index) => {
      const [before, after] = [letters[index] ?? '', letter]
      const step = (after.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0)
      return `${before}${after}` === '90' ? 1 : `${before}${after}` === '09' ? -1 : step
    }),
  )
  return steps.size === 1 && [...steps].every((step) => Math.abs(step) <= 1)
}
