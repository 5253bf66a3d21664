/**
 * The colours of the picture: one scale of greys, one accent for the results of tools, and two signs for what was lost.
 * The names of the classes begin with `session-`, because on the page the style is that of the whole document.
 */

/** How many tints the accent has: one for each tool with a part of its own, and one for the others. */
export const tints = 6

const light = {
  canvas: '#ffffff',
  ink: '#1c2128',
  soft: '#57606a',
  line: '#d8dee4',
  preamble: '#d3d8de',
  unknown: '#e4e8ec',
  inserted: '#4b535d',
  program: '#b4bcc5',
  user: '#1c2128',
  assistant: '#8b949e',
  thinking: '#c2c8cf',
  tints: ['#1f5fbf', '#3d7ad1', '#6699df', '#8fb5e9', '#b3cdf1', '#d2e1f7'],
  red: '#cf222e',
}

const dark: typeof light = {
  canvas: '#0d1117',
  ink: '#e6edf3',
  soft: '#9198a1',
  line: '#30363d',
  preamble: '#353b43',
  unknown: '#23282f',
  inserted: '#b9c1ca',
  program: '#4d555e',
  user: '#f0f3f6',
  assistant: '#767e88',
  thinking: '#454c55',
  tints: ['#79b0ff', '#5796f0', '#3f7fdc', '#3068bb', '#255297', '#1c3d70'],
  red: '#ff6b62',
}

const variables = ({ tints: accents, ...others }: typeof light): string =>
  [
    ...Object.entries(others).map(([name, color]) => `--session-${name}:${color}`),
    ...accents.map((color, tint) => `--session-tint${tint}:${color}`),
  ].join(';')

const fills = ['preamble', 'unknown', 'inserted', 'program', 'user', 'assistant', 'thinking']

/** The style sheet: in the file itself where the picture is a file, in the page's where it stands on the page. */
export const sessionStyle = `
.session-picture{${variables(light)};font:12px/1.3 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;color:var(--session-ink)}
@media (prefers-color-scheme:dark){.session-picture{${variables(dark)}}}
.session-picture text{fill:var(--session-ink)}
.session-picture .words{unicode-bidi:isolate}
.session-picture .title{font-size:15px;font-weight:600}
.session-picture .soft{fill:var(--session-soft)}
.session-picture .small{font-size:11px}
.session-picture .strong{font-weight:600}
.session-picture .end{text-anchor:end}
.session-picture .middle{text-anchor:middle}
.session-picture .halo{paint-order:stroke;stroke:var(--session-canvas);stroke-width:3px;stroke-linejoin:round}
.session-picture .canvas{fill:var(--session-canvas)}
${fills.map((name) => `.session-picture .${name}{fill:var(--session-${name})}`).join('')}
${Array.from({ length: tints }, (_, tint) => `.session-picture .tint${tint}{fill:var(--session-tint${tint})}`).join('')}
.session-picture .grid{stroke:var(--session-line);stroke-width:1}
.session-picture .budget{stroke:var(--session-ink);stroke-width:1.5}
.session-picture .model-window{stroke:var(--session-ink);stroke-width:1;stroke-dasharray:2 3}
.session-picture .cut{stroke:var(--session-soft);stroke-width:1}
.session-picture .recorded{stroke:var(--session-soft);stroke-width:1;stroke-dasharray:4 3}
.session-picture .rule{stroke:var(--session-ink);stroke-width:2}
.session-picture .moment{stroke:var(--session-ink);stroke-width:1}
.session-picture .veil{opacity:.72}
.session-picture .lane-number{font-size:10px;fill:var(--session-canvas)}
.session-picture .lane-number.soft{fill:var(--session-soft)}
.session-picture .lane{fill:var(--session-assistant)}
.session-picture .lane.gone{fill:var(--session-line)}
.session-picture .read{fill:var(--session-thinking)}
.session-picture .added{fill:var(--session-assistant)}
.session-picture .missed{fill:var(--session-ink)}
.session-picture .arc{fill:none;stroke:var(--session-red)}
.session-picture .dot{fill:var(--session-red)}
@media print{.session-picture{${variables(light)}}}
`.trim()
