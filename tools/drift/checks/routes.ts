import { type Check, listFindings } from '../check.ts';

/** A route of Express, or a mounted router. The types of Express describe neither. */
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
      await project.load<typeof import('@petstore/server/internal')>('@petstore/server/internal');
    const app = await createExpressApp(memoryStore(), { keys: () => undefined });
    const { model } = project.spec;
    const operations = model.operations.map(({ operation }) => operation);
    const { basePath } = model.service;
    // Express does not describe what its routers hold.
    const routes = routesOf((app.router as unknown as { stack: Layer[] }).stack).map(asTemplate);
    const routesBelowBase = routes.filter((route) => route.includes(` ${basePath}/`));
    const ids = operations.map(({ id }) => id);
    const endpoints = operations.map(({ method, path }) => `${method} ${basePath}${path}`);
    const handlerNames = Object.keys(handlers(memoryStore()));
    const routeFix = 'apps/server/src/http/express-app.ts, or npm run generate';
    return [
      ...listFindings('an operation', ids, 'the handlers', handlerNames, 'apps/server/src/handlers.ts'),
      ...listFindings('an operation', endpoints, 'the routes of the server', routesBelowBase, routeFix),
    ];
  },
};

/** A route of Express as OpenAPI writes it: `:id` and `:"user-id"` in braces, escaped characters without the backslash. */
function asTemplate(route: string): string {
  return route.replace(/\\(.)|:(?:(\w+)|"([^"]+)")/g, (_, escaped?: string, name?: string, quoted?: string) =>
    escaped === undefined ? `{${name ?? quoted}}` : escaped,
  );
}

function routesOf(stack: readonly Layer[] = []): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return routesOf(handle?.stack);
    const methods = Object.keys(route.methods);
    return [route.path].flat().flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${path}`));
  });
}
