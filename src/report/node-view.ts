import type { ChainReport, ReportAlert, ReportFinding, ReportNode } from './chain-report.ts'
import { countNoun, formatCount } from './format-quantity.ts'
import type { Mark } from './glyphs.ts'

/** A node as people are shown it. Texts are as the report has them, not yet made safe for any form. */
export interface NodeView {
  readonly node: ReportNode
  readonly mark: Mark
  /** Code of the first finding that nothing made good; `null` where none is to be told. */
  readonly code: string | null
  /** JSON Pointer of what is wrong; `null` where the finding is not about a place in a content. */
  readonly path: string | null
  /** Why, in words; `null` where there is nothing to say. */
  readonly reason: string | null
  /** `3 attempts`; `null` where no call was made twice. */
  readonly attempts: string | null
  readonly isRootCause: boolean
}

/** The nodes that are shown, and how many are not. */
export interface NodeSelection {
  readonly shown: readonly NodeView[]
  /** Nodes that are left out; all of them are reached. */
  readonly hidden: number
  /** How many of those have something to say, such as a warning. */
  readonly hiddenWithRemarks: number
}

/** So many nodes are always shown; of the others only those that are not reached. */
const SHOWN_NODES = 20

/** The first {@link SHOWN_NODES} nodes, every node that is not reached, and the root cause. */
export function selectNodes(report: ChainReport): NodeSelection {
  const views = viewNodes(report)
  const hidden = views.filter((view, at) => !isShown(view, at))
  return {
    shown: views.filter(isShown),
    hidden: hidden.length,
    hiddenWithRemarks: hidden.filter((view) => view.mark !== 'reached').length,
  }
}

function isShown(view: NodeView, at: number): boolean {
  return at < SHOWN_NODES || view.node.status !== 'reached' || view.isRootCause
}

function viewNodes(report: ChainReport): readonly NodeView[] {
  const findings = groupByNode(
    report.findings.filter((finding) => finding.severity !== 'info' && !finding.recovered),
  )
  const alerts = groupByNode(report.alerts)
  return report.nodes.map((node) => {
    const { node_name } = node
    return viewNode(report, node, {
      findings: findings.get(node_name) ?? [],
      alerts: alerts.get(node_name) ?? [],
    })
  })
}

function groupByNode<T extends { readonly node_name: string }>(
  items: readonly T[],
): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(item.node_name)
    if (group === undefined) groups.set(item.node_name, [item])
    else group.push(item)
  }
  return groups
}

/** What there is to say about a node. */
interface Remarks {
  readonly findings: readonly ReportFinding[]
  readonly alerts: readonly ReportAlert[]
}

function viewNode(report: ChainReport, node: ReportNode, remarks: Remarks): NodeView {
  const isRootCause = report.root_cause?.node_name === node.node_name
  const worst = isRootCause ? rootFinding(report, remarks.findings) : firstWorst(remarks.findings)
  const alert = remarks.alerts.find(({ type }) => type === 'loop') ?? remarks.alerts[0]
  const mark = toMark(node, worst, { alert: alert?.type ?? null, isRootCause })
  const loop = remarks.findings.find(({ code }) => code === 'loop')
  const told = mark === 'looping' ? loop : worst
  return {
    node,
    mark,
    code: told?.code ?? alert?.type ?? null,
    path: told === undefined ? null : pointerOf(told),
    reason: mark === 'skipped' ? node.reason : (told?.message ?? alert?.message ?? node.reason),
    attempts: countAttempts(node),
    isRootCause,
  }
}

function firstWorst(findings: readonly ReportFinding[]): ReportFinding | undefined {
  return findings.find(({ severity }) => severity === 'error') ?? findings[0]
}

function rootFinding(report: ChainReport, findings: readonly ReportFinding[]): ReportFinding | undefined {
  const { root_cause: root } = report
  const same = findings.find(({ code, span_id }) => code === root?.code && span_id === root.span_id)
  return same ?? firstWorst(findings)
}

function toMark(
  node: ReportNode,
  worst: ReportFinding | undefined,
  about: { readonly alert: string | null; readonly isRootCause: boolean },
): Mark {
  if (node.status === 'skipped') return 'skipped'
  if (node.status !== 'reached') return 'failed'
  if (about.alert === 'loop') return 'looping'
  if (worst?.severity === 'error' || about.isRootCause) return 'failed'
  return worst === undefined && about.alert === null ? 'reached' : 'warned'
}

function pointerOf(finding: ReportFinding): string | null {
  const path = finding.evidence[0]?.path ?? ''
  return path.startsWith('/') ? path : null
}

function countAttempts({ calls, attempts, retry_count }: ReportNode): string | null {
  if (retry_count <= 0) return null
  return calls === 1 ? `${attempts} attempts` : `${attempts} attempts in ${calls} calls`
}

/** What is said of a node. */
export interface NodeRemark {
  readonly text: string
  /** JSON Pointer that belongs behind the text; `null` where there is none. */
  readonly path: string | null
}

/**
 * What is said of a node beside its status: code and place, else code and reason; `null` where there is nothing. The
 * reason of the root cause is left to the sentence on top of the report.
 */
export function describeNode({ mark, code, path, reason, isRootCause }: NodeView): NodeRemark | null {
  const label = mark === 'skipped' ? mark : code
  if (mark === 'reached' || (label === null && reason === null)) return null
  if (label === null) return { text: reason ?? '', path: null }
  if (mark === 'failed' && path !== null) return { text: label, path }
  if (reason === null || (mark === 'failed' && isRootCause)) return { text: label, path: null }
  return { text: reason.startsWith(`${label}:`) ? reason : `${label}: ${reason}`, path: null }
}

/** That nodes were left out, as `12 more nodes reached, 2 with warnings`. */
export function describeHidden({ hidden, hiddenWithRemarks }: NodeSelection): string {
  const more = `${countNoun(hidden, 'more node', 'more nodes')} reached`
  return hiddenWithRemarks === 0 ? more : `${more}, ${formatCount(hiddenWithRemarks)} with warnings`
}
