import type { LoopOutcome } from './run-check.ts'

/** The gravest first. */
const gravity: readonly (string | null)[] = ['cycle', 'exact', 'error', 'result', 'similar']

interface Episode {
  outcome: LoopOutcome
  readonly calls: Set<number>
}

/**
 * The loops of a chain, each told once: of an episode the last word, and of episodes that share a call the gravest, by
 * severity and then by kind. In the order in which they began to be told.
 *
 * @param outcomes what the checks of loops said, in fold order
 */
export function chooseEpisodes(outcomes: readonly LoopOutcome[]): readonly LoopOutcome[] {
  const episodes = new Map<string, Episode>()
  for (const outcome of outcomes) {
    const known = episodes.get(outcome.key)
    if (known === undefined) episodes.set(outcome.key, { outcome, calls: new Set(outcome.calls) })
    else {
      known.outcome = outcome
      for (const call of outcome.calls) known.calls.add(call)
    }
  }
  const told = new Set<Episode>()
  const claimed = new Set<number>()
  for (const episode of [...episodes.values()].sort(byGravity)) {
    if ([...episode.calls].some((call) => claimed.has(call))) continue
    for (const call of episode.calls) claimed.add(call)
    told.add(episode)
  }
  return [...episodes.values()].flatMap((episode) => (told.has(episode) ? [episode.outcome] : []))
}

function byGravity({ outcome: { alert: a } }: Episode, { outcome: { alert: b } }: Episode): number {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1
  return gravity.indexOf(a.kind) - gravity.indexOf(b.kind)
}
