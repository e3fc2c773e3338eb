/** Money to a millionth of a cent, so that a sum of floats prints as people expect. */
export function roundMoney(usd: number): number {
  return Math.round(usd * 1e8) / 1e8
}
