/** Lines of JSON with noise, so that packed they are nearly as long as they are, and can be cut within. */
export function noisyLines(count: number): readonly string[] {
  let seed = 1
  return Array.from({ length: count }, (_, i) => {
    let noise = ''
    for (let n = 0; n < 12; n++) {
      seed = (seed * 48_271) % 2_147_483_647
      noise += seed.toString(36)
    }
    return JSON.stringify({ i, noise })
  })
}
