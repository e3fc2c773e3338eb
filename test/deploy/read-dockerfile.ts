/** An instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string
  readonly value: string
  /** From 0: how many `FROM` there were before the one that it belongs to. */
  readonly stage: number
}

/** Reads a Dockerfile: comments left out, continued lines joined. */
export function readDockerfile(text: string): readonly Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/u.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/gu, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  let stage = -1
  return lines.map((line) => {
    const [, name = '', value = ''] = /^([A-Z]+) +(.+)$/u.exec(line) ?? []
    if (name === 'FROM') stage++
    return { name, value, stage }
  })
}

/** The value of the one instruction of a name in a stage. @throws where there is none, or more than one */
export function findInstruction(file: readonly Instruction[], stage: number, name: string): string {
  const [found, ...more] = file.filter((each) => each.stage === stage && each.name === name)
  if (found === undefined || more.length > 0) throw new Error(`Stage ${stage} has not one ${name}`)
  return found.value
}
