/** @type {readonly import('./plant.mjs').Mutant[]} */
export const mutants = [
  {
    name: 'curve-partly-lost-newest',
    file: 'src/simulator/one-pass.ts',
    text: 'bump(this.#touched, lostAt(starts, content.uses.oldest[use] as number))',
    becomes: 'bump(this.#touched, lostAt(starts, content.uses.newest[use] as number))',
    why: 'content of which only the older pieces have left counts as kept',
    tests: ['test/app/pareto.test.ts', 'test/measures/cost.test.ts'],
  },
  {
    name: 'x',
    file: 'src/measures/pareto.ts',
    text: 'value <= (other[at]',
    becomes: 'value < (other[at]',
    why: 'y',
    tests: ['test/app/pareto.test.ts', 'test/measures/cost.test.ts'],
  },
]
