import { createExpressApp, handlers, memoryStore } from '@petstore/server';
import type { Finding } from '../finding.ts';
import { operationsOf } from '../future/spec.ts';
import { basePath, spec } from '../root.ts';

/** What Express keeps of a route or of a router that was mounted. Its types do not tell, so it is taken at its word below. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle?: { stack?: Layer[] };
}

/** Every operation has a handler and a route of the real Express app, with its method and its path, and there are no more. */
export async function routes(): Promise<Finding[]> {
  const app = await createExpressApp(memoryStore(), { keys: () => undefined });
  const operations = operationsOf(spec);
  return [
    ...unlike(
      [...operations.values()].map(({ operationId }) => operationId),
      Object.keys(handlers(memoryStore())),
      { missing: 'it has no handler', extra: 'it has a handler', mend: 'apps/server/src/handlers.ts' },
    ),
    ...unlike(
      [...operations.keys()].map((place) => place.replace(' ', ` ${basePath}`).replace(/\{(\w+)\}/g, ':$1')),
      routesOf(app.router as unknown as { stack: Layer[] }).filter((route) => route.includes(` ${basePath}/`)),
      {
        missing: 'the server does not route it',
        extra: 'the server routes it',
        mend: 'apps/server/src/http/whole-way.ts, or npm run generate',
      },
    ),
  ];
}

function unlike(described: string[], there: string[], say: Record<'missing' | 'extra' | 'mend', string>): Finding[] {
  const finding = (where: string, what: string, says: string): Finding => ({
    surface: 'routes',
    where,
    what,
    spec: says,
    mend: say.mend,
  });
  return [
    ...described.filter((one) => !there.includes(one)).map((one) => finding(one, say.missing, 'it is an operation')),
    ...there
      .filter((one) => !described.includes(one))
      .map((one) => finding(one, say.extra, 'there is no such operation')),
  ];
}

function routesOf({ stack }: { stack: Layer[] }): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route) {
      const methods = Object.keys(route.methods);
      return [route.path].flat().flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${path}`));
    }
    return handle?.stack ? routesOf({ stack: handle.stack }) : [];
  });
}
