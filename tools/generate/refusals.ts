// Finds what the generator does not support in a document, all of it in one run, each with its place and what to write instead.
import {
  createConfig,
  getLineColLocation,
  lintFromString,
  type Oas3Rule,
  type RawUniversalConfig,
  type UserContext,
} from '@redocly/openapi-core';
import { instead, members, type Refuse, rules, values } from './rules.ts';
import {
  commandOf,
  deploymentsOf,
  kebab,
  list,
  type Node,
  node,
  operationsIn,
  parametersOf,
  recursiveIn,
} from './table.ts';
import { operationType, typeName } from './types.ts';

/** The linter's own rules that apply too, and what to do about each. */
const advice: Readonly<Record<string, string>> = {
  struct: 'correct it',
  'no-unresolved-refs': 'correct the reference',
  'no-enum-type-mismatch': 'write values of that type',
  'no-identical-paths': 'use the same names',
  'no-required-schema-properties-undefined': 'declare it in properties',
  'no-undefined-server-variable': 'name it in both, or in neither',
  'operation-operationId': 'write a name such as listPets',
  'operation-operationId-unique': 'choose another',
  'operation-parameters-unique': 'remove one of them',
  'path-parameters-defined': 'declare the parameter, or correct the path',
  'path-not-include-query': 'declare query parameters',
  'security-defined': 'define it in components.securitySchemes',
};

/** All refusals of a document, in the order of their places. */
export async function refusalsOf(text: string, file: string) {
  const names = ['petstore/supported', 'petstore/whole', ...Object.keys(advice)];
  const problems = await problemsOf(text, file, {
    plugins: [{ id: 'petstore', rules: { oas3: { supported, whole } } }],
    rules: Object.fromEntries(names.map((rule) => [rule, 'error'] as const)),
  });
  // Where a rule of ours refuses a place too, it says what to write.
  const ours = problems.filter(({ ruleId }) => ruleId.startsWith('petstore/'));
  const others = problems
    // `supported` refuses other files, whether they are there or not.
    .filter(
      ({ ruleId, message }) => ruleId in advice && !message.startsWith("Can't resolve $ref: "),
    )
    .filter(
      ({ line, column }) => !ours.some((each) => each.line === line && each.column === column),
    )
    .map(({ ruleId, message, suggest, ...place }) => {
      const fix = suggest.length > 0 ? `did you mean ${suggest[0]}?` : `${advice[ruleId]}.`;
      return { ...place, message: `${message.replace(/\.?$/, ';')} ${fix}` };
    });
  return [...ours, ...others].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** What the linter finds in a document. */
export async function problemsOf(source: string, absoluteRef: string, rules: RawUniversalConfig) {
  const problems = await lintFromString({
    source,
    absoluteRef,
    config: await createConfig(rules),
  }).catch((error) => [
    // The linter does not parse such a document, or it ends at a reference that leads to itself.
    {
      ruleId: 'petstore/whole',
      message: `${error.message}; correct the document.`,
      suggest: [],
      location: [],
    },
  ]);
  return problems.map(({ ruleId, message, suggest, location: [place] }) => {
    const { line, col: column } = place ? getLineColLocation(place).start : { line: 1, col: 1 };
    return { line, column, ruleId, message, suggest };
  });
}

function refuseAt(context: UserContext, path: readonly string[] = []): Refuse {
  return (problem, fix, key) => {
    const place = path.reduce((location, name) => location.child(name), context.location);
    const location = key ? place.child(key).key() : place.key();
    context.report({ message: `${problem} is not supported; ${fix}.`, location });
  };
}

/** Refuses members and values that the tables do not allow. */
const supported: Oas3Rule = () => ({
  any(value, context) {
    const { name: type } = context.type;
    if (type === 'SpecExtension' || Object(value) !== value) return;
    const refuse = refuseAt(context);
    const object = node(value);
    const handled = members[type]?.split(' ');
    for (const key of Object.keys(object)) {
      const fix = instead[key] ?? `remove it${key.startsWith('x-') ? ', or correct its name' : ''}`;
      if (handled && !handled.includes(key)) refuse(`${key} in ${type}`, fix, key);
      const [allowed, advised = ''] = values[`${type}.${key}`] ?? [];
      if (allowed?.test(String(object[key])) === false)
        refuse(`${key}: ${object[key]}`, advised, key);
      const [allowedKey, advisedKey = ''] = values[`${type}.*`] ?? [];
      if (allowedKey?.test(key) === false) refuse(`${key} in ${type}`, advisedKey, key);
    }
    const follow = (each: unknown) => {
      const { $ref } = node(each);
      return node(typeof $ref === 'string' ? context.resolve({ $ref }).node : each);
    };
    rules[type]?.(object, refuse, {
      own: context.location.pointer.split('/').at(-1) ?? '',
      follow,
    });
  },
  ref(value, context) {
    const refuse = refuseAt(context);
    if (!/^#\/components\/\w+\/[\w.-]+$/.test(value.$ref))
      refuse(`the reference ${value.$ref}`, 'refer to a component of this document', '$ref');
    for (const key of Object.keys(value))
      if (key !== '$ref' && !(key === 'description' && context.type.name === 'Schema'))
        refuse(`${key} beside $ref`, 'move it to the target', key);
  },
});

/** Refuses what is wrong only together with another part of the document. */
const whole: Oas3Rule = () => ({
  Root: {
    leave(root, context) {
      const document = node(root);
      const operations = operationsIn(document);
      const schemas = node(node(document.components).schemas);
      const endless = endlessIn(schemas);
      const ids = operations.map(({ operation }) => String(operation.operationId));
      const commands = new Map<string, unknown>();
      for (const each of operations) {
        const { path, method, operation } = each;
        const refuse = refuseAt(context, ['paths', path, method]);
        const command = commandOf(operation, path).join(' ');
        const owner = /^(?:auth|completion|help) | import$/.test(command)
          ? 'petctl itself'
          : commands.get(command);
        if (owner !== undefined || (!operation['x-command'] && !/^\S+ \S+$/.test(command)))
          refuse(
            `the command '${command}'${owner ? ` beside that of ${owner}` : ''}`,
            'choose another in x-command',
          );
        commands.set(command, operation.operationId);
        const { 'x-successor': successor, operationId } = operation;
        if (
          successor !== undefined &&
          (successor === operationId || !ids.includes(String(successor)))
        )
          refuse(
            `the successor ${successor}`,
            'write the operationId of another operation',
            'x-successor',
          );
        checkParameters(parametersOf(each, document), method, operation['x-pagination'], refuse);
        const names = ['Data', 'Responses', 'Response', 'Errors', 'Error'].map((part) =>
          operationType(String(operationId), part),
        );
        for (const name of names.filter((each) => each in schemas))
          refuse(
            `the operationId ${operationId} beside the schema ${name}`,
            'rename one',
            'operationId',
          );
      }
      for (const name of Object.keys(schemas)) {
        const refuse = refuseAt(context, ['components', 'schemas', name]);
        if (typeName(name) !== name && typeName(name) in schemas)
          refuse(`${name} beside ${typeName(name)}`, 'rename one');
        if (endless.has(name))
          refuse(`${name}, which is a part of itself`, 'put a property or an array between');
      }
      const servers = list(document.servers);
      const refuse = refuseAt(context);
      if (new Set(servers.map((server) => node(server)['x-deployment'])).size < servers.length)
        refuse('two servers of one name', 'give each its own x-deployment', 'servers');
      const urls = Object.values(deploymentsOf(servers)).map((url) =>
        URL.parse(url, 'http://localhost'),
      );
      if (urls.includes(null)) refuse('a server whose address is no URL', 'write a URL', 'servers');
      else if (new Set(urls.map((url) => url?.pathname)).size > 1)
        refuse('servers with different paths', 'end all with the same one', 'servers');
    },
  },
});

/** Refuses parameters that cannot be told apart by their names, which are the names of inputs, and parameters that do nothing. */
function checkParameters(
  parameters: readonly Node[],
  method: string,
  pagination: unknown,
  refuse: Refuse,
): void {
  const names = parameters.map(({ name }) => kebab(String(name)));
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined)
    refuse(`two parameters called ${repeated}`, 'rename one of them', 'parameters');
  const keys = parameters.filter((parameter) => parameter['x-idempotency-key'] === true);
  if (keys.length > 1 || (keys.length > 0 && !/^(?:post|patch)$/.test(method)))
    refuse(
      `this x-idempotency-key of ${method.toUpperCase()}`,
      'declare one, for POST or PATCH',
      'parameters',
    );
  if (pagination === undefined) return;
  const { cursor, limit, key, ...others } = node(pagination);
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  if (
    !query.includes(cursor) ||
    !query.includes(limit) ||
    typeof key !== 'string' ||
    Object.keys(others).length > 0
  )
    refuse(
      'this x-pagination',
      'write cursor and limit, which are query parameters, and key',
      'x-pagination',
    );
}

/** The schemas that contain themselves through references, alternatives and parts alone, so that they have no end. */
function endlessIn(schemas: Node): Set<string> {
  const inner = /^(?:properties|items|additionalProperties)$/;
  const withoutInner = JSON.stringify(schemas, (key, value) =>
    inner.test(key) ? undefined : value,
  );
  return recursiveIn(JSON.parse(withoutInner));
}
