/** How people write a value: a number, bytes, or with `unit` a time. */
export function formsOf(value: string, unit?: 'ms' | 's'): string[] {
  const number = Number(value);
  if (value === '' || value === 'false') return ['off', 'none', value].filter((form) => form !== '');
  if (!Number.isInteger(number)) return [value];
  const binary = [30, 20, 10].find((power) => number > 0 && number % 2 ** power === 0);
  const size = binary === undefined ? [] : [`${number / 2 ** binary} ${{ 30: 'GiB', 20: 'MiB', 10: 'KiB' }[binary]}`];
  const seconds = unit === undefined ? [] : timesOf(unit === 'ms' ? number / 1000 : number);
  return [...size, ...size.map((one) => one.replace('KiB', 'kB')), ...seconds, number.toLocaleString('en-US'), value];
}

function timesOf(seconds: number): string[] {
  const hours = seconds % 3600 === 0 ? [`${seconds / 3600} hours`] : [];
  return [...hours, `${seconds} s`, `${seconds} seconds`, ...(seconds === 1 ? ['a second'] : [])];
}

/** Whether a text has this word. */
export function isIn(text: string, form: string): boolean {
  const escaped = form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w.,])${escaped}(?![\\w]|[.,]\\d)`).test(text);
}

const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** The number that a word or digits stand for. */
export function numberFrom(text: string): number {
  const word = text
    .toLowerCase()
    .replace(/^once$/, 'one')
    .replace(/^twice$/, 'two');
  return words.includes(word) ? words.indexOf(word) : Number(text.replaceAll(',', ''));
}
