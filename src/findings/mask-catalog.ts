import { emailMasks } from './mask-emails.ts'
import { namedValueMasks } from './mask-named-values.ts'
import { numberMasks } from './mask-numbers.ts'
import { phoneMasks } from './mask-phones.ts'
import type { MaskRow } from './mask-row.ts'
import { randomMasks, secretMasks } from './mask-secrets.ts'

/** Everything that is masked in an excerpt, in the order in which it is looked for: the more certain before the less. */
export const maskCatalog: readonly MaskRow[] = [
  ...secretMasks,
  ...namedValueMasks,
  ...emailMasks,
  ...randomMasks,
  ...numberMasks,
  ...phoneMasks,
]
