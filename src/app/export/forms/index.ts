/** The forms that transcripts are converted to. Some number what they write, so each conversion begins anew. */
import { Registry } from '../../../base/registry.ts'
import atif from './atif.ts'
import ctxwin from './ctxwin.ts'
import type { Form } from './form.ts'
import { mooncake } from './mooncake.ts'
import { anthropic, openai } from './requests.ts'

export function forms(): Registry<Form> {
  return new Registry('form', [ctxwin, openai, anthropic, atif, mooncake()])
}
