import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { isNode, list, type Node, node, type Spec } from '../../openapi.ts';

type Get = (path: string) => Promise<Response>;

/** What the server's own pages have wrong of the spec, one sentence each: its files, and the page that shows it. */
export async function pageErrors(spec: Spec, get: Get): Promise<string[]> {
  const json = async (path: string): Promise<unknown> => (await get(path)).json().catch(() => undefined);
  const page = await (await get('/docs')).text();
  const { title, version } = node(spec.root.info);
  const yaml: unknown = parse(await (await get('/openapi.yaml')).text(), { merge: true });
  const plain = JSON.parse(JSON.stringify(spec.root));
  const file = await json('/openapi.json');
  const shown = node(await json('/docs/openapi.json'));
  return [
    ...(isDeepStrictEqual(JSON.parse(JSON.stringify(yaml)), plain) ? [] : ['/openapi.yaml is not the spec']),
    ...(isDeepStrictEqual(file, plain) ? [] : ['/openapi.json is not the spec']),
    ...(page.includes(`<title>${title} ${version}</title>`)
      ? []
      : [`/docs has another title than ${title} ${version}`]),
    ...unshown(spec.root, shown, ''),
    ...[...spec.operations.values()].flatMap(({ method, path, object }) => {
      const { summary, description } = node(node(node(shown.paths)[path])[method.toLowerCase()]);
      const words = `${summary} ${description}`;
      return noticesOf(spec, node(object))
        .filter((notice) => !words.includes(notice))
        .map((notice) => `/docs does not say of ${method} ${path}: ${notice}`);
    }),
  ];
}

/** What is to be said of an operation that its extensions say. */
function noticesOf({ operations }: Spec, operation: Node): string[] {
  const {
    deprecated,
    'x-sunset': sunset,
    'x-deprecated-since': since,
    'x-successor': id,
    'x-stability-level': stability,
  } = operation;
  const successor = [...operations].find(([, one]) => one.id === id)?.[0];
  const days = [sunset, since]
    .filter((day) => typeof day === 'string')
    .map((day) => new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }));
  return [
    ...(deprecated ? ['deprecated', ...days, ...(successor ? [successor] : [])] : []),
    ...(typeof stability === 'string' ? [stability] : []),
  ];
}

/** What the page leaves out of the spec, or says otherwise: it may only add to texts, and turn an example into one. */
function unshown(spec: unknown, shown: unknown, at: string): string[] {
  if (typeof spec === 'string' && typeof shown === 'string' && /(summary|description)$/.test(at))
    return shown.includes(spec.trim()) ? [] : [`/docs shows ${at} as ${JSON.stringify(shown).slice(0, 100)}`];
  if (Array.isArray(spec) && spec.length === list(shown).length)
    return spec.flatMap((one, i) => unshown(one, list(shown)[i], `${at}/${i}`));
  if (!isNode(spec) || !isNode(shown))
    return isDeepStrictEqual(spec, shown) ? [] : [`/docs shows ${at} as ${JSON.stringify(shown)?.slice(0, 100)}`];
  return Object.entries(spec).flatMap(([name, one]) => {
    if (name === 'servers') return [];
    const isTold = name === 'example' && !(name in shown) && String(shown.description).includes(`\`${one}\``);
    return isTold ? [] : unshown(one, shown[name], `${at}/${name}`);
  });
}
