import type { Chain } from '../../chain/chain.ts'
import type { Finding } from '../../findings/finding.ts'

/** A check that sees the whole chain, once, after it is built. */
export interface ChainCheck {
  readonly name: string
  check(chain: Chain): readonly Finding[]
}
