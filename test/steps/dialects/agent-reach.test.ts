import { describe, expect, it } from 'vitest'
import { outputKeys } from '../../../src/semconv/agent-reach.ts'
import type { Attributes } from '../../../src/steps/span-view.ts'
import type { Step } from '../../../src/steps/step.ts'
import { testDialect } from '../../contracts/dialect-contract.ts'
import type { DialectTable } from '../../contracts/dialect-table.ts'
import { readSpan } from '../read-span.ts'

const leftToTheConventions = { notRecorded: 'left to the conventions' }

const table: DialectTable = {
  name: 'the keys of the package',
  dialect: 'agent-reach',
  kinds: [
    ['a node name', { 'agent_reach.node.name': 'fetch' }, 'workflow'],
    ['a checkpoint', { 'agent_reach.checkpoint.id': 'CP-01' }, 'workflow'],
    ['the state of a subtask', { 'agent_reach.subtask.status': 'failed' }, 'workflow'],
    ['a reflection', { 'agent_reach.reflection.status': 'replan' }, 'reflection'],
    ['a reflection under an alias', { reflection_status: 'done' }, 'reflection'],
    ['a reflection under an alias with prefix', { 'agent.reflection_status': 'done' }, 'reflection'],
    ['the alias of the planning phase', { phase: 'planning' }, 'plan'],
    ['the alias of the reflecting phase', { 'agent.phase': 'reflecting' }, 'reflection'],
    ['the alias of the executing phase', { 'agent.phase': 'executing' }, 'workflow'],
    ['the alias of a subtask', { subtask_id: 'T1' }, 'workflow'],
    ['the alias of a token count', { token_count: 12 }, 'workflow'],
    ['what the processor stamps on any span: a chain', { 'agent_reach.chain.id': 'c-1' }, 'other'],
    ['what the processor stamps on any span: a phase', { 'agent_reach.phase': 'planning' }, 'other'],
    ['what the processor stamps on any span: a subtask', { 'agent_reach.subtask.id': 'T1' }, 'other'],
  ],
  nodeName: [
    ['agent_reach.node.name', { 'agent_reach.node.name': 'fetch' }, 'fetch'],
    [
      'agent_reach.node.name, before the name of a tool',
      {
        'agent_reach.node.name': 'fetch',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'get',
      },
      'fetch',
    ],
  ],
  agentName: leftToTheConventions,
  toolName: leftToTheConventions,
  callId: leftToTheConventions,
  session: leftToTheConventions,
  requestModel: leftToTheConventions,
  responseModel: leftToTheConventions,
  provider: leftToTheConventions,
  responseId: leftToTheConventions,
  finishReasons: leftToTheConventions,
  cost: { notRecorded: 'agent_reach.cost.usd is an output' },
  firstTokenMs: leftToTheConventions,
  model: leftToTheConventions,
  tool: leftToTheConventions,
  toolArguments: leftToTheConventions,
  toolResult: leftToTheConventions,
  answer: leftToTheConventions,
  calls: leftToTheConventions,
  tools: leftToTheConventions,
  tokens: {
    input: leftToTheConventions,
    output: leftToTheConventions,
    total: ['token_count', 'agent.token_count'],
    cacheRead: leftToTheConventions,
    cacheWrite: leftToTheConventions,
    reasoning: leftToTheConventions,
  },
  usage: leftToTheConventions,
  aggregates: [['token_count', (input, output) => ({ token_count: input + output })]],
  streamed: leftToTheConventions,
}

testDialect(table)

function read(attributes: Attributes, code = 0): Step {
  return readSpan(attributes, { status: { code } })
}

describe('input keys of the package', () => {
  it.each<[string, unknown, keyof Step, unknown]>([
    ['agent_reach.chain.id', 'c-1', 'chainId', 'c-1'],
    ['agent_reach.task.id', 't-1', 'taskId', 't-1'],
    ['agent_reach.node.attempt', 2, 'attempt', 2],
    ['agent_reach.node.attempt', '2', 'attempt', 2],
    ['agent_reach.node.skipped_reason', 'upstream failed', 'skippedReason', 'upstream failed'],
    ['agent_reach.node.requires', ['fetch', 'parse'], 'requires', ['fetch', 'parse']],
    ['agent_reach.node.requires', '["fetch","parse"]', 'requires', ['fetch', 'parse']],
    ['agent_reach.node.requires', 'fetch, parse', 'requires', ['fetch', 'parse']],
    ['agent_reach.step.sequence', 7, 'sequence', 7],
    ['agent_reach.step.sequence', -1, 'sequence', null],
    ['agent_reach.phase', 'summarizing', 'phase', 'summarizing'],
    ['agent_reach.phase', 'resting', 'phase', null],
    ['agent_reach.subtask.id', 'T1', 'subtaskId', 'T1'],
    ['agent_reach.subtask.status', 'skipped', 'subtaskStatus', 'skipped'],
    ['agent_reach.subtask.status', 'lost', 'subtaskStatus', null],
    ['agent_reach.reflection.status', 'replan', 'reflectionStatus', 'replan'],
    ['agent_reach.stop.action', 'handoff', 'stopAction', 'handoff'],
    ['agent_reach.stop.action', 'pause', 'stopAction', null],
  ])('%s %j reads as %s %j', (key, value, field, expected) => {
    expect(read({ [key]: value })[field]).toEqual(expected)
  })

  it.each<[string, unknown, keyof Step]>([
    ['phase', 'planning', 'phase'],
    ['agent.phase', 'planning', 'phase'],
    ['subtask_id', 'T1', 'subtaskId'],
    ['agent.subtask_id', 'T1', 'subtaskId'],
    ['reflection_status', 'done', 'reflectionStatus'],
    ['agent.reflection_status', 'done', 'reflectionStatus'],
  ])('the alias %s is read', (key, value, field) => {
    expect(read({ [key]: value })[field]).toBe(value)
  })

  it('the key itself is read before its alias', () => {
    expect(read({ phase: 'planning', 'agent_reach.phase': 'executing' }).phase).toBe('executing')
  })

  it.each(['agent_reach.checkpoint.id', 'checkpoint_id', 'agent.checkpoint_id'])(
    'the attribute %s is a checkpoint at the end of the span',
    (key) => {
      const step = readSpan({ [key]: 'CP-03' }, { startMs: 1_000, endMs: 2_000 })
      expect(step.checkpoints).toEqual([
        { id: 'CP-03', name: null, status: 'passed', timeNs: 2_000_000_000n, data: null },
      ])
    },
  )

  it('a checkpoint failed where its span did, unless our own processor raised the status', () => {
    const attributes = { checkpoint_id: 'CP-03' }
    expect(read(attributes, 2).checkpoints).toMatchObject([{ status: 'failed' }])
    const raised = { ...attributes, 'agent_reach.status.set': true }
    expect(read(raised, 2).checkpoints).toMatchObject([{ status: 'passed' }])
  })

  it.each(['CP-03', 3])('a checkpoint that is an event, too, is told once: %s', (id) => {
    const step = readSpan(
      { checkpoint_id: id },
      {
        events: [
          {
            name: 'agent_reach.checkpoint',
            atMs: 1_500,
            attributes: {
              'agent_reach.checkpoint.id': id,
              'agent_reach.checkpoint.name': 'plan made',
              'agent_reach.checkpoint.status': 'failed',
              'agent_reach.checkpoint.data': '{"steps":3}',
            },
          },
        ],
      },
    )
    expect(step.checkpoints).toEqual([
      { id: String(id), name: 'plan made', status: 'failed', timeNs: 1_500_000_000n, data: '{"steps":3}' },
    ])
  })
})

function readOpen(attributes: Attributes): Step['openSpans'] {
  return readSpan({}, { events: [{ name: 'agent_reach.open_span', attributes }] }).openSpans
}

describe('open spans of a root', () => {
  const FULL = {
    'agent_reach.open_span.id': 'AABBCCDDEEFF0011',
    'agent_reach.open_span.parent_id': '0011223344556677',
    'agent_reach.open_span.name': 'slow tool',
    'agent_reach.open_span.start_time': '1764460800000000001',
  }

  it('are read with ids in lower case and the nanosecond of their start', () => {
    expect(readOpen(FULL)).toEqual([
      {
        spanId: 'aabbccddeeff0011',
        parentSpanId: '0011223344556677',
        name: 'slow tool',
        startNs: 1_764_460_800_000_000_001n,
      },
    ])
  })

  it('are left out without a usable id or start', () => {
    expect(readOpen({ ...FULL, 'agent_reach.open_span.id': 'x' })).toEqual([])
    expect(readOpen({ ...FULL, 'agent_reach.open_span.start_time': 'yesterday' })).toEqual([])
    expect(readOpen({})).toEqual([])
  })

  it('may lack a parent and a name', () => {
    const { 'agent_reach.open_span.id': id, 'agent_reach.open_span.start_time': start } = FULL
    const [span] = readOpen({
      'agent_reach.open_span.id': id,
      'agent_reach.open_span.start_time': start,
      'agent_reach.open_span.parent_id': 'nobody',
    })
    expect(span).toMatchObject({ parentSpanId: null, name: 'unnamed' })
  })
})

describe('output keys of the package', () => {
  const TOOL = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'forecast' }
  /** Says nothing of its own, but how a status or a captured content is to be read. */
  const readAsMarks = ['agent_reach.node.evidence', 'agent_reach.node.findings', 'agent_reach.status.set']

  it.each(outputKeys.filter((key) => !readAsMarks.includes(key)))('%s is never read', (key) => {
    for (const value of ['failed', 12, true, ['failed']]) {
      const plain = read(TOOL)
      const marked = read({ ...TOOL, [key]: value })
      expect({ ...marked, ...ignored(plain) }).toEqual({ ...plain, ...ignored(plain) })
      expect(read({ [key]: value }).kind).toBe('other')
    }
  })

  it.each(readAsMarks)('%s alone makes no step', (key) => {
    expect(read({ [key]: 'captured' }).kind).toBe('other')
  })

  it('finding codes are read only beside the evidence `captured`', () => {
    const findings = { 'agent_reach.node.findings': ['schema_violation', 'empty_result:warn'] }
    expect(read({ ...TOOL, ...findings })).toMatchObject({ captured: false, marks: [] })
    for (const evidence of ['full', 'partial', 'none']) {
      expect(read({ ...TOOL, ...findings, 'agent_reach.node.evidence': evidence }).marks).toEqual([])
    }
    expect(read({ ...TOOL, ...findings, 'agent_reach.node.evidence': 'captured' })).toMatchObject({
      captured: true,
      marks: ['schema_violation', 'empty_result:warn'],
    })
  })

  it.each([
    [true, 'unset'],
    ['true', 'unset'],
    [false, 'error'],
    ['yes', 'error'],
  ])('a status beside agent_reach.status.set %j reads as %s', (set, status) => {
    expect(read({ ...TOOL, 'agent_reach.status.set': set }, 2).status).toBe(status)
  })
})

/** What must differ between two spans of which one has a further attribute, or is a function or a content. */
function ignored(step: Step): object {
  return step.kind === 'tool'
    ? { attributeCount: step.attributeCount, input: null, output: null, readTools: null }
    : {}
}
