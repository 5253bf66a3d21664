/**
 * What a server would answer that knows one action, which it gives where the window still has what that needs, and otherwise another one;
 * and which by chance gives a third, always the same.
 */

/** How often two answers of it agree, where it gives the third action with that probability. */
export const floorOfNoise = (noise: number): number => 1 - 2 * noise * (1 - noise)

/** The smaller of the two probabilities with such a floor, which is ½ or more. */
export const noiseOfFloor = (floor: number): number => (1 - Math.sqrt(2 * floor - 1)) / 2

/** By how much a policy lowers the agreement that loses what is needed in that share of the windows. */
export const differenceOf = (lost: number, noise: number): number => lost * (noise ** 2 - floorOfNoise(noise))

/** The share of windows in which it is lost, for such a difference, 0 or less. */
export const lostOf = (difference: number, noise: number): number => difference / differenceOf(1, noise)

/** Asks twice with the full window, and twice with the policy's. */
export function drawn(random: () => number, noise: number, isLost: boolean): { floor: number; across: number } {
  const [known, other, third] = [0, 1, 2]
  const answer = (action: number): number => (random() < noise ? third : action)
  const [full, again] = [answer(known), answer(known)]
  const policy = answer(isLost ? other : known)
  const policyAgain = answer(isLost ? other : known)
  const same =
    Number(full === policy) + Number(full === policyAgain) + Number(again === policy) + Number(again === policyAgain)
  return { floor: Number(full === again), across: same / 4 }
}
