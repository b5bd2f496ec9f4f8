/** The target of the header `Link` with `rel="next"` (RFC 8288); undefined without one. */
export function nextTarget(headers: Headers): string | undefined {
  const [, ...links] = (headers.get('link') ?? '').split('<');
  for (const link of links) {
    const end = link.indexOf('>');
    const parameters = link.slice(end + 1).split(/[;,]/);
    if (end >= 0 && parameters.some(isNext)) return link.slice(0, end);
  }
  return undefined;
}

/** Whether a parameter is `rel` with `next` among its relations: `rel=next` or `rel="last next"`. */
function isNext(parameter: string): boolean {
  const [name = '', value = ''] = parameter.toLowerCase().split('=');
  return (
    name.trim() === 'rel' &&
    value
      .trim()
      .split(/[\s"]+/)
      .includes('next')
  );
}
