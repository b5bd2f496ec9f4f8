import { type Document, isData, isNode, mapped, node, resolvePointer } from './document.ts';
import { isJson } from './serialization.ts';

/** Turns files into text, because JSON cannot contain bytes. Schemas of other media types, and components in them, keep their files. */
export function withFiles(document: Document): Document {
  const inForms = new Set<string>();
  const collect = (value: unknown, isForm = false, parent = ''): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = node(value);
    if (isForm && typeof $ref === 'string' && !inForms.has($ref)) {
      inForms.add($ref);
      collect(resolvePointer(document, $ref.slice(1)), true);
    }
    for (const [key, child] of Object.entries(value)) collect(child, isFormBelow(key, parent, isForm), key);
  };
  collect(document);
  const changed = (value: unknown, isForm: boolean, at = '#', parent = ''): unknown => {
    if (Array.isArray(value)) return value.map((element) => changed(element, isForm));
    if (!isNode(value)) return value;
    return mapped(fileSchema(value, isForm), (child, key) => {
      const pointer = `${at}/${key}`;
      return isData(key)
        ? child
        : changed(child, isFormBelow(key, parent, isForm) || inForms.has(pointer), pointer, key);
    });
  };
  return node(changed(document, false));
}

/** Whether a value is below a media type that is not JSON. */
function isFormBelow(key: string, parent: string, isForm: boolean): boolean {
  return parent === 'content' && key.includes('/') ? !isJson(key) : isForm;
}

/** Removes the encoding `binary`, which means plain bytes. In JSON, also removes the keywords of a file, so it becomes text. */
function fileSchema({ ...schema }: Record<string, unknown>, isForm: boolean): Record<string, unknown> {
  if (schema.contentEncoding === 'binary') {
    delete schema.contentEncoding;
    schema.contentMediaType ??= 'application/octet-stream';
  }
  if (isForm) return schema;
  if (schema.format === 'binary') delete schema.format;
  const { contentMediaType, contentEncoding } = schema;
  if (typeof contentMediaType === 'string' && contentEncoding === undefined) delete schema.contentMediaType;
  return schema;
}
