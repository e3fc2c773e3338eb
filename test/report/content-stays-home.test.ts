import { describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import { renderMarkdown } from '../../src/report/render-markdown.ts'
import { renderText } from '../../src/report/render-text.ts'
import { agent, model, reportOf, threw, tool } from '../chain/trace-script.ts'

/** Text of which every piece of 12 characters is unlike any other text here. */
const long = (name: string): string => Array.from({ length: 400 }, (_, n) => `${name}${n}x${n * 7}`).join(' ')

const secrets = {
  email: 'ada.lovelace@example.org',
  key: 'sk-proj-abcdefghijklmnopqrstuvwx',
  phone: '+49 170 1234567',
  card: '4111 1111 1111 1111',
  bearer: 'Bearer abc.def-ghi_jkl',
}

const spill = `failed for ${Object.values(secrets).join(' and ')}: ${long('error')}`

const report: ChainReport = reportOf([
  {
    id: 'run',
    at: 0,
    ms: 100,
    attributes: agent('support', {
      'gen_ai.input.messages': long('question'),
      'gen_ai.output.messages': long('answer'),
    }),
  },
  {
    id: 'm',
    parent: 'run',
    at: 1,
    attributes: model([{ id: 'c', name: 'q', arguments: { note: long('argument') } }], {
      'gen_ai.input.messages': long('prompt'),
      'gen_ai.system_instructions': long('system'),
      'gen_ai.tool.definitions': JSON.stringify([
        {
          name: 'q',
          parameters: { type: 'object', required: ['id'], properties: { note: { enum: ['a'] } } },
        },
      ]),
    }),
  },
  { id: 't1', parent: 'run', at: 5, attributes: tool('q', { note: long('argument') }), ...threw('E', spill) },
  { id: 't2', parent: 'run', at: 9, attributes: tool('r', {}, { error: spill }) },
  { id: 't3', parent: 'run', at: 12, attributes: tool('s', {}, { rows: [long('result')] }) },
  {
    id: 'p',
    parent: 'run',
    at: 15,
    attributes: { 'agent_reach.node.name': 'p' },
    events: [
      {
        name: 'agent_reach.checkpoint',
        attributes: { 'agent_reach.checkpoint.id': 'CP-09', 'agent_reach.checkpoint.data': spill },
      },
    ],
  },
])

const texts = {
  json: JSON.stringify(report),
  text: renderText(report, { color: false, ascii: false }),
  markdown: renderMarkdown(report),
}

describe.each(Object.entries(texts))('content stays home: the %s form of a report', (_, text) => {
  it('has something to say about every planted fault', () => {
    expect(report.findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['invalid_arguments', 'exception', 'error_in_result']),
    )
    expect(text).toContain('failed for')
  })

  it('holds no prompt, no system text, no answer and no result that is not at fault', () => {
    for (const name of ['question', 'answer', 'prompt', 'system', 'result']) {
      expect(text).not.toContain(`${name}3x21`)
    }
  })

  it('holds no more than a short excerpt of an error or of an argument at fault', () => {
    expect(text).not.toContain('error60x420')
    expect(text).not.toContain('argument60x420')
  })

  it.each(Object.entries(secrets))('masks the %s in an excerpt', (_name, secret) => {
    expect(text).not.toContain(secret)
  })
})
