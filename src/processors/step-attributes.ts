import type { EndedStep } from '../pipeline/ended-step.ts'
import { describeFinding } from '../findings/describe-finding.ts'
import type { Finding } from '../findings/finding.ts'
import {
  AGENT_REACH_NODE_EVIDENCE_VALUE_CAPTURED,
  ATTR_AGENT_REACH_COST_USD,
  ATTR_AGENT_REACH_NODE_EVIDENCE,
  ATTR_AGENT_REACH_NODE_FINDINGS,
  ATTR_AGENT_REACH_NODE_REASON,
  ATTR_AGENT_REACH_NODE_STATUS,
  ATTR_AGENT_REACH_STEP_RESULT_DIGEST,
  ATTR_AGENT_REACH_STEP_RETRY_KEY,
  ATTR_AGENT_REACH_STEP_SEQUENCE,
  ATTR_AGENT_REACH_STEP_SIGNATURE,
  ATTR_AGENT_REACH_TOKEN_COUNT,
} from '../semconv/agent-reach.ts'
import type { MarkAttributes } from './live-span.ts'

/** The marks of a step, as known when it ends. */
export function toStepAttributes(step: EndedStep): MarkAttributes {
  const { record, status, findings, tokenCount, costUsd, captured } = step
  const attributes: MarkAttributes = {
    [ATTR_AGENT_REACH_NODE_STATUS]: status,
    [ATTR_AGENT_REACH_NODE_EVIDENCE]: captured ? AGENT_REACH_NODE_EVIDENCE_VALUE_CAPTURED : record.evidence,
  }
  if (captured) Object.assign(attributes, toDigests(record))
  if (record.sequence !== null) attributes[ATTR_AGENT_REACH_STEP_SEQUENCE] = record.sequence
  if (tokenCount !== null) attributes[ATTR_AGENT_REACH_TOKEN_COUNT] = tokenCount
  if (costUsd !== null) attributes[ATTR_AGENT_REACH_COST_USD] = costUsd
  if (findings.length > 0) {
    attributes[ATTR_AGENT_REACH_NODE_FINDINGS] = [...new Set(findings.map(toCode))]
    attributes[ATTR_AGENT_REACH_NODE_REASON] = toReason(step)
  }
  return attributes
}

/** What tells equal calls and results where the content itself is not recorded. */
function toDigests({ signature, retryKey, resultDigest }: EndedStep['record']): MarkAttributes {
  return {
    ...(signature !== null && { [ATTR_AGENT_REACH_STEP_SIGNATURE]: signature }),
    ...(retryKey !== null && { [ATTR_AGENT_REACH_STEP_RETRY_KEY]: retryKey }),
    ...(resultDigest !== null && { [ATTR_AGENT_REACH_STEP_RESULT_DIGEST]: resultDigest }),
  }
}

function toCode({ code, severity }: Finding): string {
  return severity === 'error' ? code : `${code}:${severity}`
}

/** The sentence of the gravest finding, the first of several; empty where there is none. */
export function toReason({ findings }: EndedStep): string {
  const gravest =
    findings.find(({ severity }) => severity === 'error') ??
    findings.find(({ severity }) => severity === 'warn') ??
    findings[0]
  return gravest === undefined ? '' : describeFinding(gravest)
}
