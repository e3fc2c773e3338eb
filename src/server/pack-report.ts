import type { ChainReport } from '../report/chain-report.ts'
import { toCountedChain } from './chain-counts.ts'
import type { PackedReport } from './packed-report.ts'
import { sealText } from './sqlite-blob.ts'
import { alertTypes, countNodesOf, findingCodes, toChainValues } from './sqlite-chain-row.ts'

/** Packs a report for the store. */
export function packReport(report: ChainReport): PackedReport {
  return {
    chainId: report.chain_id,
    revision: report.revision,
    digest: report.digest,
    completeness: report.completeness,
    values: toChainValues(report),
    nodes: countNodesOf(report.nodes),
    findings: findingCodes(report),
    alerts: alertTypes(report),
    counted: toCountedChain(report),
    blob: sealText(JSON.stringify(report)),
  }
}
