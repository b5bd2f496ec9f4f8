/** The target of the link with `rel="next"` in a header `Link` (RFC 8288); undefined without one. */
export function nextTarget(header: string): string | undefined {
  for (const link of splitOutside(header, ',')) {
    const [target = '', ...parameters] = splitOutside(link, ';').map((part) => part.trim());
    if (target.startsWith('<') && parameters.some(isNext)) return target.slice(1, -1);
  }
  return undefined;
}

/** Whether a parameter is `rel` with `next` among its relations: `rel=next` or `rel="last next"`. */
function isNext(parameter: string): boolean {
  const [name = '', value = ''] = parameter.toLowerCase().split('=');
  if (name.trim() !== 'rel') return false;
  return value.replaceAll('"', '').trim().split(/\s+/).includes('next');
}

/** Splits at a separator that is neither in quotes nor in angle brackets. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  /** What ends the quotes or the brackets that the position is in. */
  let closing: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (closing === undefined) closing = closings.get(character);
    else if (character === closing) closing = undefined;
    if (closing !== undefined || character !== separator) continue;
    parts.push(text.slice(start, at));
    start = at + 1;
  }
  parts.push(text.slice(start));
  return parts;
}

const closings = new Map([
  ['"', '"'],
  ['<', '>'],
]);
