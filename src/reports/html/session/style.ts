/**
 * The colours of the picture: seven kinds of content that people tell apart in both themes, colour-blind ones, too (a
 * test simulates what they see), greys for what the cache had, and red for what was lost. The names of the classes
 * begin with `session-`, because on the page the style is that of the whole document.
 */
import type { KindName } from './words.ts'

/** By theme. The order is that of the stack. */
export const kindColors: Readonly<Record<'light' | 'dark', Readonly<Record<KindName, string>>>> = {
  light: {
    head: '#f2c484',
    program: '#84493e',
    user: '#1b1d22',
    model: '#8c86a6',
    tool1: '#1a3ece',
    tool2: '#cf7114',
    tools: '#9ac4ff',
  },
  dark: {
    head: '#474566',
    program: '#995900',
    user: '#daf8fc',
    model: '#a29689',
    tool1: '#00b7ff',
    tool2: '#eec453',
    tools: '#506ecb',
  },
}

const light = {
  canvas: '#ffffff',
  ink: '#1c2128',
  soft: '#57606a',
  line: '#d8dee4',
  read: '#c2c8cf',
  added: '#8b949e',
  missed: '#1c2128',
  lane: '#8b949e',
  red: '#cf222e',
}

const dark: typeof light = {
  canvas: '#0d1117',
  ink: '#e6edf3',
  soft: '#9198a1',
  line: '#30363d',
  read: '#454c55',
  added: '#767e88',
  missed: '#e6edf3',
  lane: '#767e88',
  red: '#ff6b62',
}

const variables = (colors: Readonly<Record<string, string>>): string =>
  Object.entries(colors)
    .map(([name, color]) => `--session-${name}:${color}`)
    .join(';')
const lightVariables = variables({ ...light, ...kindColors.light })
const darkVariables = variables({ ...dark, ...kindColors.dark })

const fills = [...Object.keys(kindColors.light), 'read', 'added', 'missed', 'lane']

/** The style sheet: in the file itself where the picture is a file, in the page's where it stands on the page. */
export const sessionStyle = `
.session-picture{${lightVariables};font:12px/1.3 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;color:var(--session-ink)}
@media (prefers-color-scheme:dark){.session-picture{${darkVariables}}}
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
.session-picture .lane.gone{fill:var(--session-line)}
.session-picture .other{fill:none;stroke:var(--session-ink);stroke-width:2;vector-effect:non-scaling-stroke}
.session-picture .faded{opacity:.6}
.session-picture .arc{fill:none;stroke:var(--session-red)}
.session-picture .dot{fill:var(--session-red)}
@media print{.session-picture{${lightVariables}}}
`.trim()
