/** Days for people, in UTC, so that the output is the same everywhere. */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** "2 Aug 2026" @param time in milliseconds since the epoch */
export const dayOf = (time: number): string => `${shortDay(time)} ${new Date(time).getUTCFullYear()}`

/** "2 Aug" */
export function shortDay(time: number): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`
}

/** "2 Aug to 20 Nov 2026", "30 Dec 2025 to 2 Jan 2026", "2 Aug 2026" */
export function daysBetween(first: number, last: number): string {
  if (dayOf(first) === dayOf(last)) return dayOf(last)
  const sameYear = new Date(first).getUTCFullYear() === new Date(last).getUTCFullYear()
  return `${sameYear ? shortDay(first) : dayOf(first)} to ${dayOf(last)}`
}
