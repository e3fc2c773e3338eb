/** The prefix that keeps the names of packages apart from every other name in the code. */
const PREFIX = 'package:'

/** How rolldown writes at the start of a chunk what it requires, a package of mixed formats in two steps. */
const REQUIRED =
  /^(?:const|let) (?<name>[\w$]+) = (?<load>require\("[^"\n]+"\));\n(?:\k<name> = (?<interop>[\w$.]+)\(\k<name>(?:, 1)?\);\n)?/gmu

/**
 * A plugin that has a bundle in CommonJS load what it requires at the first use, and not at its start: packages,
 * modules of Node, and its own other chunks. The sources keep their imports.
 *
 * What is required becomes a member of an object that replaces itself by what it loads, so that a later use costs no
 * more than a look into an object.
 */
export function loadLate() {
  return {
    name: 'load-late',
    resolveId: (id, importer) =>
      importer === undefined || /^[./]/u.test(id) ? null : { id: PREFIX + id, external: true },
    renderChunk(code, { isEntry }) {
      const plain = code.replaceAll(`require("${PREFIX}`, 'require("')
      // An entry only hands on what others define.
      return isEntry ? plain : withLateRequires(plain)
    },
  }
}

function withLateRequires(code) {
  const required = [...code.matchAll(REQUIRED)].map(({ groups }) => groups)
  if (required.length === 0) return code
  const names = required.map(({ name }) => name.replaceAll('$', String.raw`\$`))
  const use = new RegExp(String.raw`(?<![\w$]|(?<!\.\.)\.)(?:${names.join('|')})(?![\w$])`, 'gu')
  const members = required.map(({ name, load, interop }) => {
    // Without its second argument it takes for the default export what an ES module names so.
    const value = interop === undefined ? load : `${interop}(${load})`.replace(use, 'late$.$&')
    return `get ${name}() { return keep$('${name}', ${value}) },`
  })
  return [
    'const keep$ = (name, value) => (Object.defineProperty(late$, name, { value }), value);',
    'const late$ = {',
    ...members,
    '};',
    code.replace(REQUIRED, '').replace(use, 'late$.$&'),
  ].join('\n')
}
