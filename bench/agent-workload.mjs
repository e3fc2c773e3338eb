// What the workloads of the benchmarks are made of. All of it comes from a seeded generator, so every run measures the
// same bytes.

const words = 'order refund policy customer shipped return parcel warehouse invoice address total item'.split(
  ' ',
)
const wide = '订单 退款 政策 客户 已发货 退货 包裹 仓库 发票 地址'.split(' ')

/** A small seeded generator of numbers in [0, 1), so that every run of the benchmark reads the same bytes. */
export function seeded(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Words of at least `size` characters; where it is not said, 3 texts in 10 hold characters beyond Latin-1. */
export function text(random, size, isWide = random() < 0.3) {
  const source = isWide ? wide : words
  let out = ''
  while (out.length < size) out += `${source[Math.floor(random() * source.length)]} `
  return out
}

/** A whole number whose logarithm is spread evenly between those of `low` and `high`. */
export const logUniform = (random, low, high) => Math.round(low * (high / low) ** random())

/** An id of so many hexadecimal digits. */
export const hex = (random, digits) =>
  Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')

/** What a tool finds: rows, of about `size` characters as JSON; where it is not said, each row is wide or not. */
export function rows(random, size, isWide) {
  const list = []
  for (let length = 0; length < size; length += 80) {
    const id = hex(random, 8)
    const name = text(random, 30, isWide)
    list.push({ id, name, quantity: Math.floor(random() * 9), open: true })
  }
  return { rows: list }
}
