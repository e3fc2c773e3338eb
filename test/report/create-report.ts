import { toChainHash } from '../../src/chain/build-chain.ts'
import type {
  ChainReport,
  ReportAlert,
  ReportFailure,
  ReportFinding,
  ReportNode,
  ReportStep,
} from '../../src/report/chain-report.ts'
import { digestReport } from '../../src/report/report-digest.ts'

/** The trace of reports that name none. */
export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'

const DIGEST = `sha256:${'0'.repeat(64)}`

/**
 * A complete, valid report. By default the run of a support agent: an order query that stays invalid after two
 * retries, a policy search that goes in circles, and a reply that is skipped. `report_id` and `digest` follow from
 * the other fields unless they are given.
 */
export function createReport(overrides: Partial<ChainReport> = {}): ChainReport {
  const report = { ...createBody(), ...overrides }
  const { trace_id, chain_id, revision } = report
  const named = { ...report, report_id: `${trace_id}-${toChainHash(chain_id)}-${revision}`, ...overrides }
  return { ...named, digest: digestReport(named), ...overrides }
}

/** A report of a run in which every node is reached and nothing is to be said. */
export function createGoodReport(overrides: Partial<ChainReport> = {}): ChainReport {
  return createReport({
    overall_status: 'success',
    summary: 'all 1 nodes reached',
    loop_count: 0,
    retry_count: 0,
    root_cause: null,
    last_unrecovered: null,
    nodes: [createNode()],
    findings: [],
    alerts: [],
    ...overrides,
  })
}

/** A node that is reached, without anything to say about it. */
export function createNode(overrides: Partial<ReportNode> = {}): ReportNode {
  return {
    node_name: 'intent_router',
    kind: 'model',
    phase: 'planning',
    subtask_id: null,
    status: 'reached',
    evidence: 'full',
    reason: null,
    findings: [],
    calls: 1,
    attempts: 1,
    retry_count: 0,
    latency_ms: 420.12,
    token_count: 310,
    estimated_cost_usd: 0.004,
    ...overrides,
  }
}

/** A step of the order query. */
function createStep(overrides: Partial<ReportStep> = {}): ReportStep {
  return {
    span_id: '00f067aa0ba902b7',
    parent_span_id: null,
    node_name: 'order_query',
    kind: 'tool',
    phase: 'executing',
    attempt: 1,
    status: 'reached_invalid',
    evidence: 'full',
    started_at: '2026-11-30T12:00:00.420000Z',
    latency_ms: 770.29,
    token_count: 0,
    estimated_cost_usd: null,
    model: null,
    tool_call_id: 'call_1',
    producer_span_id: null,
    read_by_span_id: null,
    signature: '9f86d081884c7d65',
    ...overrides,
  }
}

/** The finding that breaks the order query. */
export function createFinding(overrides: Partial<ReportFinding> = {}): ReportFinding {
  return {
    code: 'schema_violation',
    severity: 'error',
    node_name: 'order_query',
    span_id: '00f067aa0ba902b9',
    blamed_span_id: null,
    message: 'result does not fit its schema: /order_id is missing',
    order: 'certain',
    source: 'content',
    recovered: false,
    evidence: [{ path: '/order_id', expected: 'string', actual: null }],
    ...overrides,
  }
}

/** The order query as what broke the run. */
export function createFailure(overrides: Partial<ReportFailure> = {}): ReportFailure {
  return {
    node_name: 'order_query',
    span_id: '00f067aa0ba902b9',
    blamed_span_id: null,
    status: 'reached_invalid',
    code: 'schema_violation',
    reason: 'result does not fit its schema: /order_id is missing',
    suggestion: 'make the field required in the tool, or return an error instead of an incomplete result',
    ...overrides,
  }
}

/** The loop of the policy search. */
export function createAlert(overrides: Partial<ReportAlert> = {}): ReportAlert {
  return {
    type: 'loop',
    kind: 'exact',
    severity: 'warn',
    action: 'none',
    node_name: 'policy_search',
    span_id: '00f067aa0ba902ba',
    message: 'loop detected at node policy_search: same signature 5 times',
    count: 5,
    order: 'certain',
    ...overrides,
  }
}

const LOOP_REASON = 'loop: the same call 5 times, same result'

function createNodes(): readonly ReportNode[] {
  return [
    createNode(),
    createNode({
      node_name: 'order_query',
      kind: 'tool',
      phase: 'executing',
      status: 'reached_invalid',
      reason: 'result does not fit its schema: /order_id is missing',
      findings: ['schema_violation'],
      attempts: 3,
      retry_count: 2,
      latency_ms: 2310.88,
      token_count: 0,
      estimated_cost_usd: null,
    }),
    createNode({
      node_name: 'policy_search',
      kind: 'retrieval',
      phase: 'executing',
      reason: LOOP_REASON,
      findings: ['loop:warn'],
      calls: 5,
      attempts: 5,
      latency_ms: 9120.4,
      token_count: 4200,
      estimated_cost_usd: 0.05,
    }),
    createNode({
      node_name: 'format_reply',
      phase: 'summarizing',
      status: 'skipped',
      evidence: 'none',
      reason: 'order_query is invalid',
      latency_ms: 0,
      token_count: 0,
      estimated_cost_usd: null,
    }),
  ]
}

function createFindings(): readonly ReportFinding[] {
  return [
    createFinding({ span_id: '00f067aa0ba902b7', recovered: true, severity: 'warn' }),
    createFinding(),
    createFinding({
      code: 'loop',
      severity: 'warn',
      node_name: 'policy_search',
      span_id: '00f067aa0ba902ba',
      message: LOOP_REASON,
      evidence: [{ path: 'equal calls', expected: 'fewer than 3', actual: 5 }],
    }),
  ]
}

const ASKED = { producer_span_id: '00f067aa0ba902b6' }

function createSteps(): readonly ReportStep[] {
  return [
    createStep({
      span_id: '00f067aa0ba902b6',
      node_name: 'intent_router',
      kind: 'model',
      phase: 'planning',
      status: 'reached',
      latency_ms: 420.12,
      token_count: 310,
      estimated_cost_usd: 0.004,
      model: 'some-model-2',
      tool_call_id: null,
      signature: null,
    }),
    createStep(ASKED),
    createStep({ span_id: '00f067aa0ba902b8', attempt: 2, ...ASKED }),
    createStep({ span_id: '00f067aa0ba902b9', attempt: 3, ...ASKED }),
    createStep({ span_id: '00f067aa0ba902ba', node_name: 'policy_search', kind: 'retrieval' }),
  ]
}

function createBody(): ChainReport {
  return {
    schema_version: '1.0',
    generator: 'agent-reach@0.1.0',
    rules_digest: DIGEST,
    limits_digest: DIGEST,
    price_data: 'genai-prices@0.1.8',
    report_id: '',
    revision: 1,
    completeness: 'complete',
    completeness_reason: null,
    task_id: 'task-001',
    chain_id: TRACE_ID,
    trace_id: TRACE_ID,
    session_id: null,
    service_name: 'support-agent',
    agent_name: 'support',
    overall_status: 'partial_failed',
    summary: 'order_query returned an invalid result after 2 retries: /order_id is missing',
    started_at: '2026-11-30T12:00:00.000000Z',
    ended_at: '2026-11-30T12:00:18.420000Z',
    total_latency_ms: 18420,
    span_count: 41,
    step_count: 17,
    loop_count: 1,
    retry_count: 2,
    replan_count: 0,
    model_calls: 5,
    tool_calls: 9,
    token_count: 8123,
    tokens: { input: 7000, output: 1123, cache_read: 0, cache_write: 0, reasoning: 0 },
    estimated_cost_usd: 0.084,
    cost_source: 'genai-prices@0.1.8',
    time: {
      model_ms: 5200,
      first_token_ms: 610.5,
      tool_ms: 11431.28,
      between_steps_ms: 1788.72,
      critical_path_ms: 16631.28,
      parallelism: 1,
    },
    root_cause: createFailure(),
    last_unrecovered: createFailure(),
    nodes: createNodes(),
    steps: createSteps(),
    findings: createFindings(),
    checkpoints: {
      expected: [],
      actual: ['CP-01'],
      missing: [],
      passed: true,
      records: [
        {
          id: 'CP-01',
          name: 'intent parsed',
          status: 'passed',
          source: 'derived',
          span_id: '00f067aa0ba902b6',
          node_name: 'intent_router',
          at: '2026-11-30T12:00:00.420120Z',
          data: null,
        },
      ],
    },
    assertions: { passed: true, errors: 0, warnings: 0, details: [] },
    alerts: [createAlert()],
    judgements: [],
    determinism: null,
    usage_check: { consistent: true, aggregates: [], normalised: [] },
    dropped: { attributes: 0, duplicate_spans: 0, late_spans: 0, rejected_spans: 0, check_errors: 0 },
    digest: DIGEST,
  }
}
