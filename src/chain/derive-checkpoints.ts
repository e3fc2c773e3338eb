import type { ReflectionStatus } from '../steps/step.ts'
import type { Checkpoint, ChainStep } from './chain.ts'
import { findAnswer } from './derive-phases.ts'
import { sortNearlySorted } from './sort-nearly-sorted.ts'
import { hasFailed } from './step-failure.ts'

/** The six checkpoints of a run, by id. */
const checkpointNames: Readonly<Record<string, string>> = {
  'CP-01': 'plan done',
  'CP-02': 'subtask started',
  'CP-03': 'subtask done',
  'CP-04': 'reflection done',
  'CP-05': 'replan',
  'CP-06': 'summary done',
}

/**
 * The checkpoints of a chain in the order of time: those the agent recorded, and for each id that it never recorded
 * those that its steps stand for:
 *
 * - CP-01 the end of the first plan, else of the first model call that asked for tools (the calls are the plan)
 * - CP-02, CP-03 start and end of each subtask, else of each tool, retrieval or sub-agent
 * - CP-04 the end of each reflection
 * - CP-05 each reflection that says `replan`, and each plan after the first
 * - CP-06 the end of the step that gave the answer
 */
export function deriveCheckpoints(steps: readonly ChainStep[]): readonly Checkpoint[] {
  const points = listRecorded(steps)
  const known = new Set(points.map((entry) => entry.id))
  for (const derive of derivers) {
    for (const entry of derive(steps)) if (!known.has(entry.id)) points.push(entry)
  }
  return sortNearlySorted(points, byTime)
}

/** The checkpoints that the agent recorded as failed, in the order of time. */
export function findFailedCheckpoints(steps: readonly ChainStep[]): readonly Checkpoint[] {
  return listRecorded(steps)
    .filter((entry) => entry.status === 'failed')
    .sort(byTime)
}

function listRecorded(steps: readonly ChainStep[]): Checkpoint[] {
  const recorded: Checkpoint[] = []
  for (const step of steps) {
    for (const entry of step.record.checkpoints) recorded.push(fromRecord(step, entry))
  }
  return recorded
}

function fromRecord(step: ChainStep, entry: ChainStep['record']['checkpoints'][number]): Checkpoint {
  const name = entry.name ?? checkpointNames[entry.id] ?? entry.id
  return { ...entry, name, source: 'recorded', step }
}

function byTime(a: Checkpoint, b: Checkpoint): number {
  if (a.timeNs !== b.timeNs) return a.timeNs < b.timeNs ? -1 : 1
  if (a.step.index !== b.step.index) return a.step.index - b.step.index
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

type Derive = (steps: readonly ChainStep[]) => readonly Checkpoint[]

const derivers: readonly Derive[] = [
  derivePlan,
  deriveSubtasks,
  deriveReflections,
  deriveReplans,
  deriveSummary,
]

function point(id: string, step: ChainStep, at: 'start' | 'end', data: string | null = null): Checkpoint {
  return {
    id,
    name: checkpointNames[id] ?? id,
    status: at === 'end' && hasFailed(step.record) ? 'failed' : 'passed',
    source: 'derived',
    step,
    timeNs: at === 'start' ? step.record.startNs : step.record.endNs,
    data,
  }
}

function derivePlan(steps: readonly ChainStep[]): readonly Checkpoint[] {
  const plan = steps.find((step) => step.record.kind === 'plan')
  if (plan !== undefined) return [point('CP-01', plan, 'end')]
  const asking = steps.find((step) => step.record.kind === 'model' && step.record.requestedCalls.length > 0)
  if (asking === undefined) return []
  const subtasks = asking.record.requestedCalls.map((call) => call.name)
  return [point('CP-01', asking, 'end', JSON.stringify({ subtasks, parallel: subtasks.length > 1 }))]
}

function deriveSubtasks(steps: readonly ChainStep[]): readonly Checkpoint[] {
  const labelled = groupSubtasks(steps)
  if (labelled.size > 0) {
    return [...labelled].flatMap(([id, members]) => {
      const data = JSON.stringify({ subtask: id })
      const first = members.toSorted((a, b) => (a.record.startNs < b.record.startNs ? -1 : 1))[0] as ChainStep
      const last = members.toSorted((a, b) => (a.record.endNs > b.record.endNs ? -1 : 1))[0] as ChainStep
      return [point('CP-02', first, 'start', data), point('CP-03', last, 'end', data)]
    })
  }
  const points: Checkpoint[] = []
  const dataOf = new Map<string, string>()
  for (const step of steps) {
    const { kind, nodeName } = step.record
    if (!isUnit(kind) && (kind !== 'agent' || step.parent === null)) continue
    const data = dataOf.get(nodeName) ?? JSON.stringify({ subtask: nodeName })
    dataOf.set(nodeName, data)
    points.push(point('CP-02', step, 'start', data), point('CP-03', step, 'end', data))
  }
  return points
}

function groupSubtasks(steps: readonly ChainStep[]): ReadonlyMap<string, readonly ChainStep[]> {
  const groups = new Map<string, ChainStep[]>()
  for (const step of steps) {
    const id = step.record.subtaskId
    if (id === null) continue
    const members = groups.get(id)
    if (members === undefined) groups.set(id, [step])
    else members.push(step)
  }
  return groups
}

function isUnit(kind: string): boolean {
  return kind === 'tool' || kind === 'retrieval'
}

function deriveReflections(steps: readonly ChainStep[]): readonly Checkpoint[] {
  return steps
    .filter(({ record }) => record.kind === 'reflection' || record.reflectionStatus !== null)
    .map((step) => point('CP-04', step, 'end', reflectionData(step.record.reflectionStatus)))
}

function reflectionData(status: ReflectionStatus | null): string | null {
  return status === null ? null : JSON.stringify({ reflection_status: status })
}

function deriveReplans(steps: readonly ChainStep[]): readonly Checkpoint[] {
  const plans = steps.filter(({ record }) => record.kind === 'plan')
  const asked = steps.filter(({ record }) => record.reflectionStatus === 'replan')
  return (asked.length > 0 ? asked : plans.slice(1)).map((step) => point('CP-05', step, 'end'))
}

function deriveSummary(steps: readonly ChainStep[]): readonly Checkpoint[] {
  const answer = findAnswer(steps)
  const labelled = steps.findLast(({ record }) => record.phase === 'summarizing')
  const summary = labelled ?? answer
  if (summary === null || summary === undefined || !summary.record.hasOutput) return []
  return [point('CP-06', summary, 'end')]
}
