/** Prints what the service answered: one line for each element, its values separated by tabs. */
export function print(result: unknown): void {
  const rows = Array.isArray(result) ? result : [result];
  process.stdout.write(rows.map((row) => `${Object.values(row).map(cell).join('\t')}\n`).join(''));
}

/** A value that cannot break out of its cell, nor steer the terminal. */
function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}
