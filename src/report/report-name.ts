import { toChainHash } from '../chain/build-chain.ts'

/** The name of the reports of a chain, the same for every revision: `<trace id>-<chain hash>`. */
export function toReportName(traceId: string, chainId: string): string {
  return `${traceId}-${toChainHash(chainId)}`
}
