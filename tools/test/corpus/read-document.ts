import { bundle, createConfig } from '@redocly/openapi-core';
import type { Document, Root } from '../../openapi/document.ts';

const config = await createConfig({});

/** Reads a document. Objects in other files that it refers to become its components. */
export async function readDocument(file: string): Promise<Document> {
  const { bundle: document, problems } = await bundle({ ref: file, config });
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors.join(' ')}`);
  return { root: document.parsed as Root };
}
