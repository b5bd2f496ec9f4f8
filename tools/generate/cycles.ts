import { type Document, ErrorCollector, isData, isMap, node, resolvePointer } from './document.ts';
import { withSubschemas } from './schemas.ts';

/** Matches the paths of subschemas that describe the same value as their schema. */
const sameValue = /^(allOf|anyOf|oneOf|not|if|then|else|dependentSchemas)\b/;

/** Returns the document. Rejects a reference that leads back to itself without passing a property or an element: it has no meaning. */
export function checkedForCycles(document: Document): Document {
  const errors = new ErrorCollector();
  const visited = new Set<string>();
  const open = new Set<string>();
  const follow = (value: unknown, at: string): void => {
    const { $ref } = node(value);
    if (typeof $ref === 'string') {
      if (open.has($ref)) {
        const problem = `$ref '${$ref}' is circular`;
        errors.reject(at, problem, 'correct it, or move it into a property or an element');
      }
      if (!visited.has($ref)) {
        visited.add($ref);
        open.add($ref);
        follow(resolvePointer(document, $ref.slice(1)), $ref.slice(2).replaceAll('/', '.'));
        open.delete($ref);
      }
    }
    withSubschemas(node(value), (part, path) => {
      if (sameValue.test(path)) follow(part, `${at}.${path}`);
    });
  };
  const search = (value: unknown, hasNames = false): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('$ref' in value && !hasNames) follow(value, '');
    for (const [key, child] of Object.entries(value))
      if (hasNames || !(isData(key) || key.startsWith('x-'))) search(child, !hasNames && isMap(key, child));
  };
  search(document);
  errors.throwIfAny();
  return document;
}
