import { describe, expect, it } from 'vitest'
import type { ChainReport } from '../../src/report/chain-report.ts'
import type { Attributes } from '../../src/steps/span-view.ts'
import { agent, model, reportOf, type ScriptSpan, spanId, threw, tool } from './trace-script.ts'

/** An agent of smolagents as OpenInference records it, with the names of its tools and of one managed agent. */
const codeAgent = (more: Attributes = {}): Attributes => ({
  'openinference.span.kind': 'AGENT',
  'smolagents.tools_names': '["web_search","final_answer"]',
  ...more,
})
const write = (code: string): Attributes => model(`Thought: so be it.\nCode:\n\`\`\`py\n${code}\n\`\`\``)
const answer = (at: number): readonly ScriptSpan[] => [
  { id: `m${at}`, parent: 'run', at, ms: 2, attributes: write('final_answer("42")') },
  { id: `f${at}`, parent: 'run', at: at + 2, attributes: tool('final_answer', { answer: '42' }) },
]
const run = (steps: readonly ScriptSpan[], attributes = codeAgent()): ChainReport =>
  reportOf([{ id: 'run', at: 0, ms: 100, attributes }, ...steps])
const unverified = (report: ChainReport): readonly string[] =>
  report.findings.flatMap(({ code, severity, span_id }) =>
    code === 'unverified_answer' ? [`${severity} at ${span_id}`] : [],
  )

describe('an answer that nothing supports', () => {
  it('is told at the answer, and blamed on the model that gave it', () => {
    const report = run(answer(10))
    expect(unverified(report)).toEqual([`error at ${spanId('f10')}`])
    expect(report.root_cause).toMatchObject({
      node_name: 'final_answer',
      code: 'unverified_answer',
      span_id: spanId('f10'),
      blamed_span_id: spanId('m10'),
    })
    expect(report.root_cause?.reason).toBe('run answered without having called any of its tools')
    expect(report.overall_status).toBe('partial_failed')
  })

  it('a tool before it supports it, whether it worked or not', () => {
    const good: ScriptSpan = {
      id: 's',
      parent: 'run',
      at: 5,
      attributes: tool('web_search', { q: 'x' }, 'y'),
    }
    expect(unverified(run([good, ...answer(10)]))).toEqual([])
    expect(unverified(run([{ ...good, ...threw('Error', 'no network') }, ...answer(10)]))).toEqual([])
  })

  it('a retrieval or a sub-agent before it supports it, a tool after it or in another agent does not', () => {
    const retrieval: ScriptSpan = {
      id: 'r',
      parent: 'run',
      at: 5,
      attributes: { 'openinference.span.kind': 'RETRIEVER' },
    }
    const member: ScriptSpan = { id: 'sub', parent: 'run', at: 5, ms: 3, attributes: agent('searcher') }
    const late: ScriptSpan = {
      id: 'l',
      parent: 'run',
      at: 20,
      attributes: tool('web_search', { q: 'x' }, 'y'),
    }
    expect(unverified(run([retrieval, ...answer(10)]))).toEqual([])
    expect(unverified(run([member, ...answer(10)]))).toEqual([])
    expect(unverified(run([...answer(10), late]))).toHaveLength(1)
  })

  it('each agent answers for itself', () => {
    const report = run([
      { id: 'sub', parent: 'run', at: 1, ms: 8, attributes: codeAgent() },
      { id: 'sf', parent: 'sub', at: 4, attributes: tool('final_answer', { answer: 'made up' }) },
      ...answer(10),
    ])
    expect(unverified(report)).toEqual([`error at ${spanId('sf')}`])
  })

  it('code that was run supports it, code that only prints what it says does not', () => {
    const code = (source: string): ScriptSpan => ({
      id: 'c',
      parent: 'run',
      at: 1,
      ms: 2,
      attributes: write(source),
    })
    expect(unverified(run([code('print(sum(range(10)))'), ...answer(10)]))).toEqual([])
    expect(unverified(run([code('print("let me think")'), ...answer(10)]))).toHaveLength(1)
  })

  it('nothing is said where no other tool is recorded, or there is none', () => {
    const only = { 'openinference.span.kind': 'AGENT', 'smolagents.tools_names': '["final_answer"]' }
    expect(unverified(run(answer(10), only))).toEqual([])
    expect(unverified(run(answer(10), { 'openinference.span.kind': 'AGENT' }))).toEqual([])
    expect(
      unverified(run(answer(10), { ...only, 'smolagents.managed_agents.0.name': 'searcher' })),
    ).toHaveLength(1)
  })

  it('the tools that the model was offered count where the agent names none', () => {
    const definitions = JSON.stringify([{ name: 'search' }, { name: 'submit' }])
    const asked = model([{ id: 'c1', name: 'submit', arguments: { answer: 1 } }], {
      'gen_ai.tool.definitions': definitions,
    })
    const report = run(
      [
        { id: 'm', parent: 'run', at: 1, attributes: asked },
        {
          id: 's',
          parent: 'run',
          at: 3,
          attributes: tool('submit', { answer: 1 }, 'ok', { 'gen_ai.tool.call.id': 'c1' }),
        },
      ],
      agent('solver'),
    )
    expect(unverified(report)).toEqual([`error at ${spanId('s')}`])
  })

  it('an answer in plain text may be a greeting', () => {
    const hello = model('Hello!', { 'gen_ai.tool.definitions': JSON.stringify([{ name: 'search' }]) })
    expect(run([{ id: 'm', parent: 'run', at: 1, attributes: hello }], agent('support')).findings).toEqual([])
  })
})

describe('code that only prints the call it speaks of', () => {
  const idle = (code: string, said = 'I now ask web_search.'): readonly string[] => {
    const text = `${said}\n\`\`\`py\n${code}\n\`\`\``
    const report = run([{ id: 'm', parent: 'run', at: 1, attributes: model(text) }])
    return report.findings.map(({ code: found, severity, message }) => `${found} ${severity}: ${message}`)
  }

  it('is a call that was never made', () => {
    expect(idle('task = "Find the year."\nprint(task)')).toEqual([
      'call_never_executed warn: asked for web_search, which never ran',
    ])
  })

  it('says nothing where the code calls the tool, computes, or no tool of the agent is named', () => {
    expect(idle('print(web_search("year"))')).toEqual([])
    expect(idle('print(f"{web_search(1)}")')).toEqual([])
    expect(idle('x = 3 * 4\nprint(x)')).toEqual([])
    expect(idle('print("Find the year.")', 'I ask my_friend.')).toEqual([])
    expect(idle('print("done")', 'Then comes final_answer.')).toEqual([])
  })
})
