import type { Check, Finding } from '../check.ts';
import { basePathOf } from '../openapi.ts';

/** A route of Express, or a router that is mounted. Its types do not describe them. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle?: { stack?: Layer[] };
}

export const routes: Check = {
  name: 'routes',
  guarantee:
    'Each operation has a handler, and a route of the Express app with its method and path. There are no others.',
  run: async (project) => {
    const { createExpressApp, handlers, memoryStore } =
      await project.load<typeof import('@petstore/server')>('@petstore/server');
    const app = await createExpressApp(memoryStore(), { keys: () => undefined });
    const operations = project.spec.model.rows.map(({ operation }) => operation);
    const basePath = basePathOf(project.spec);
    return [
      ...differencesOf(
        operations.map(({ id }) => id),
        Object.keys(handlers(memoryStore())),
        { missing: 'it has no handler', extra: 'it has a handler', fix: 'apps/server/src/handlers.ts' },
      ),
      ...differencesOf(
        operations.map(({ method, path }) => `${method} ${basePath}${path}`),
        // Express does not describe what its routers hold.
        routesOf(app.router as unknown as { stack: Layer[] })
          .map(asTemplate)
          .filter((route) => route.includes(` ${basePath}/`)),
        {
          missing: 'the server does not route it',
          extra: 'the server routes it',
          fix: 'apps/server/src/http/express-app.ts, or npm run generate',
        },
      ),
    ];
  },
};

function differencesOf(
  expected: string[],
  actual: string[],
  { missing, extra, fix }: Record<'missing' | 'extra' | 'fix', string>,
): Finding[] {
  const without = (some: string[], others: string[]) => some.filter((one) => !others.includes(one));
  return [
    ...without(expected, actual).map((where) => ({ where, actual: missing, expected: 'it is an operation', fix })),
    ...without(actual, expected).map((where) => ({
      where,
      actual: extra,
      expected: 'there is no such operation',
      fix,
    })),
  ];
}

/** A route of Express as OpenAPI writes it: `:id` and `:"user-id"` in braces, other characters without a backslash. */
function asTemplate(route: string): string {
  return route.replace(/\\(.)|:(?:(\w+)|"([^"]+)")/g, (_, escaped?: string, name?: string, quoted?: string) =>
    escaped === undefined ? `{${name ?? quoted}}` : escaped,
  );
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
