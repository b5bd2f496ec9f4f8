import { createApp, memoryStore } from '@petstore/server';
import type { Finding } from '../finding.ts';
import { operationsOf } from '../future/spec.ts';
import { spec } from '../root.ts';

/** What Express keeps of a route or of a router that was mounted; its types do not tell. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle?: { stack?: Layer[] };
}

/** The routes of the real Express app are the operations of the spec, each with its method and its path, and no more. */
export async function routes(): Promise<Finding[]> {
  const app = await createApp(memoryStore(), { keys: () => undefined });
  const base = '/v1';
  const served = new Set(
    routesOf(app.router as unknown as { stack: Layer[] }).filter((route) => route.includes(` ${base}`)),
  );
  const described = new Set(
    [...operationsOf(spec).keys()].map((place) => place.replace(' ', ` ${base}`).replace(/\{(\w+)\}/g, ':$1')),
  );
  const finding = (where: string, what: string, says: string, mend: string): Finding => ({
    surface: 'routes',
    where,
    what,
    spec: says,
    mend,
  });
  return [
    ...[...described]
      .filter((route) => !served.has(route))
      .map((route) =>
        finding(
          route,
          'the server does not route it',
          'it is an operation',
          'npm run generate, then write its handler in apps/server/src/handlers.ts',
        ),
      ),
    ...[...served]
      .filter((route) => !described.has(route))
      .map((route) =>
        finding(
          route,
          'the server routes it',
          'there is no such operation',
          'describe it in spec/openapi.yaml, or remove the route',
        ),
      ),
  ];
}

function routesOf({ stack }: { stack: Layer[] }): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route) {
      const methods = Object.keys(route.methods).filter((method) => method !== '_all');
      return [route.path].flat().flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${path}`));
    }
    return handle?.stack ? routesOf({ stack: handle.stack }) : [];
  });
}
