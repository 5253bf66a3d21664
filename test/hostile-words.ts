/** Words that mean something to what reads an output: each is planted wherever somebody else chooses a word. */

export const hostileWords: readonly string[] = [
  // Python: a comment that says how a file is encoded, ends of strings and lines.
  'coding: shift_jis_2004',
  'acme/coding:v2',
  'x" + str(__import__("os").system("touch PWNED")), #',
  "x' + str(__import__('os').system('touch PWNED')), #",
  '"""\nimport os\n"""',
  'a\\"b\\',
  // JavaScript.
  "a'],x:[process.exit(7)],y:['b",
  '"); process.exit(7); ("',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is one of what reads it
  '${process.exit(7)}`',
  '*/ process.exit(7) /*',
  'a\u2028b\u2029c',
  // Shells: POSIX, fish, PowerShell with its five single quotes, cmd.exe.
  '$(touch PWNED)',
  '`touch PWNED`',
  "a'; touch PWNED; 'b",
  "it's",
  'a\\',
  'a’;calc;‘b‚c‛d',
  'a" & calc & "b',
  'a|b>c<d^e',
  'a\ntouch PWNED\n',
  '-rf',
  '--policy=filter:command=touch PWNED',
  '=ls',
  '~root',
  '*',
  '!!',
  // Logs of CI runners.
  '##vso[task.setvariable variable=x]y',
  'x##VSO[task.complete result=Succeeded]',
  "##teamcity[buildStatus status='SUCCESS']",
  '##[add-path]/tmp',
  '::error::forged',
  'a ::set-output name=x::y',
  'a\n::error::forged',
  'a\r\n##[error]forged',
  // HTML, XML, SVG, JSON in them.
  '<script>alert(1)</script>',
  '</script><img src=x onerror=alert(1)>',
  '<!--<script>',
  ']]>&lt;&#39;"',
  "' onload='alert(1)",
  '\ufffe\uffff\ud800',
  // Spreadsheets.
  "=cmd|' /C calc'!A0",
  'a;=1+1',
  '+1',
  '@SUM(1)',
  '"a","b"',
  // Markdown.
  'a\\|![x](http://e.example/)|b',
  '[x](javascript:alert(1))',
  '``x` ![y](http://e.example/)',
  '@octocat',
  'www.e.example',
  '# x',
  '- x',
  '1. x',
  '---',
  '    x',
  '> x',
  '_x_ **y**',
  '&copy;',
  // YAML, SQL, JSON.
  ': !!js/function "x"',
  '"; DROP TABLE runs; --',
  '{"a":1}',
  '__proto__',
  // A terminal, and what is not seen.
  '\u001b[2J\u001b]0;x\u0007',
  'a\u202egnp.exe',
  'a\u0085b\u009b2J\u007f',
  'a\u{e0001}b\u200b',
  `e${'\u0301'.repeat(40)}`,
]

/** What a CI runner takes for a command: GitHub at the beginning of a line or behind `##[`, Azure and TeamCity anywhere. */
export function logCommands(text: string): string[] {
  return text.split(/\r\n|[\r\n]/).filter((line) => /^\s*::|##\[|##vso\[|##teamcity\[/i.test(line))
}
