import type { Field, IdempotencyKey } from '@petstore/types';
import { defined, type ErrorCollector, list, type Node, node, reject, text } from './document.ts';
import { type Schemas, supportedSchema } from './schemas.ts';
import { isJson, isLocation, serializationOf } from './serialization.ts';

/**
 * The declared parameters of an operation. A parameter of the operation overrides a parameter of the path item. Names of headers
 * ignore case.
 */
export function parameterNodes(
  pathItem: Node,
  operation: Node,
  at: string,
  schemas: Schemas,
  errors: ErrorCollector,
): Node[] {
  const byKey = new Map<string, Node>();
  for (const parameters of [pathItem.parameters, operation.parameters]) {
    const keys = new Set<string>();
    for (const declared of list(parameters)) {
      const parameter = errors.try(() => schemas.target(declared, `${at}.parameters`));
      if (!parameter) continue;
      const name = String(parameter.name);
      const key = `${parameter.in} ${parameter.in === 'header' ? name.toLowerCase() : name}`;
      if (keys.has(key)) {
        const reason = parameter.in === 'header' ? ', because names of headers ignore case' : '';
        const problem = `the ${parameter.in} parameter '${name}' is declared twice${reason}`;
        errors.reject(`${at}.parameters.${name}`, problem, 'remove one of them');
      }
      byKey.set(key, parameter);
      keys.add(key);
    }
  }
  return [...byKey.values()];
}

/** The inputs that are parameters, by name. */
export function parametersOf(
  declared: readonly Node[],
  at: string,
  schemas: Schemas,
  errors: ErrorCollector,
): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const parameter of declared) {
    if (typeof parameter.name !== 'string') {
      errors.reject(`${at}.parameters`, 'a parameter has no name', 'write its name');
      continue;
    }
    const { name } = parameter;
    if (isIdempotencyKey(parameter)) continue;
    const parameterAt = `${at}.parameters.${name}`;
    const sameName = fields.get(name);
    if (sameName) {
      const problem = `'${name}' is both a ${sameName.in} parameter and a ${parameter.in} parameter`;
      errors.reject(parameterAt, problem, 'rename one, because all inputs are properties of one object');
    } else errors.try(() => fields.set(name, fieldOf(parameter, parameterAt, schemas)));
  }
  return fields;
}

const isIdempotencyKey = (parameter: Node) => parameter['x-idempotency-key'] === true;

/** The header of the idempotency key. The header is not an input, because clients generate the idempotency key. */
export function idempotencyKeyOf(
  declared: readonly Node[],
  method: string,
  at: string,
  schemas: Schemas,
): IdempotencyKey | undefined {
  const [parameter, second] = declared.filter(isIdempotencyKey);
  if (!parameter) return undefined;
  const parameterAt = `${at}.parameters.${parameter.name}`;
  if (second) reject(parameterAt, `'${second.name}' is a second idempotency key`, 'declare one idempotency key');
  if (parameter.in !== 'header') reject(parameterAt, `the idempotency key is in '${parameter.in}'`, 'write in: header');
  if (parameter.required === true)
    reject(
      parameterAt,
      'the idempotency key is required',
      'make the parameter optional, because a caller may call the operation without retries',
    );
  if (/^(get|head|options|trace)$/.test(method))
    reject(
      parameterAt,
      `${method.toUpperCase()} has an idempotency key`,
      'remove the parameter, because a request with this method may always be repeated',
    );
  const schema = supportedSchema(parameter.schema, `${parameterAt}.schema`);
  if ([...schemas.typesOf(schema)].join() !== 'string')
    reject(`${parameterAt}.schema`, 'the idempotency key is not a string', 'write type: string');
  return { header: String(parameter.name), description: text(parameter.description)?.trim() ?? '', schema };
}

function fieldOf(parameter: Node, at: string, schemas: Schemas): Field {
  const location = parameter.in;
  if (!isLocation(location)) reject(at, `the parameter is in '${parameter.in}'`, 'write path, query, header or cookie');
  const [content, ...others] = Object.entries(node(parameter.content));
  if (others.length > 0) reject(at, 'the parameter has several media types', 'declare one media type');
  const schema = supportedSchema(content ? node(content[1]).schema : parameter.schema, `${at}.schema`);
  const { description, deprecated } = schemas.resolve(schema);
  const contentType = content?.[0];
  if (contentType !== undefined && !isJson(contentType))
    reject(
      `${at}.content`,
      `the parameter has the media type ${contentType}`,
      'write application/json, or a schema and a style',
    );
  return defined<Field>({
    in: location,
    required: parameter.required === true || location === 'path',
    description: text(parameter.description)?.trim() ?? description ?? '',
    deprecated: parameter.deprecated === true || deprecated ? true : undefined,
    contentType,
    ...(contentType === undefined && serializationOf(parameter, location, schema, at, schemas)),
    schema,
  });
}
