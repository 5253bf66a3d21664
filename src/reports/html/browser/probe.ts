/** Draws the page of `probe`, which nothing changes afterwards. */
import type { ProbeResult } from '../../../model/probe-result.ts'
import { probeView } from '../views/probe.ts'
import { find, show } from './document.ts'

show(find('page'), probeView(JSON.parse(find('data').textContent ?? '') as ProbeResult))
