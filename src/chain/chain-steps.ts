import type { ChainStep } from './chain.ts'
import type { OpenStep, TreeNode } from './fold-order.ts'

/**
 * Makes the steps of one chain from its members; what lies between two steps (plain spans, steps of another chain) is
 * passed over.
 *
 * @param members in fold order
 */
export function toChainSteps(members: readonly TreeNode[]): readonly ChainStep[] {
  const steps = members.map((node, index): OpenStep => {
    return (node.step = { record: node.record, index, parent: null, children: [], size: 1 })
  })
  const nearest: Nearest = new Map()
  // Children come first, so that their sizes are known.
  for (const [index, step] of steps.entries()) {
    const parent = findMemberAbove(members[index] as TreeNode, nearest)?.step ?? null
    if (parent === null) continue
    step.parent = parent
    parent.children.push(step)
    parent.size += step.size
  }
  return steps
}

/** The nearest member above spans that are none themselves. */
type Nearest = Map<TreeNode, TreeNode | null>

/** The nearest member above a node; remembered for the nodes passed over, which may be many. */
function findMemberAbove(node: TreeNode, nearest: Nearest): TreeNode | null {
  let above = node.parent
  // As a rule it is the parent, and nothing has to be remembered.
  if (above === null || isMember(above, node.chainId)) return above
  const passed: TreeNode[] = []
  while (above !== null && !isMember(above, node.chainId)) {
    const known = nearest.get(above)
    if (known !== undefined) {
      above = known
      break
    }
    passed.push(above)
    above = above.parent
  }
  for (const between of passed) nearest.set(between, above)
  return above
}

/** Steps of other chains have other ids, and what is no step has none to hang below. */
function isMember(node: TreeNode, chainId: string): boolean {
  return node.step !== null && node.chainId === chainId
}
