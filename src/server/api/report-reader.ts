import type { ReportStore } from '../report-store.ts'

/** What of the store the read API reads. */
export type ReportReader = Pick<
  ReportStore,
  | 'listChains'
  | 'getChain'
  | 'listChanges'
  | 'lastChange'
  | 'getReport'
  | 'listRevisions'
  | 'countNodes'
  | 'countChains'
  | 'readTrace'
  | 'probe'
>
