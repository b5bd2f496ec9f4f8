/** Whether this is `npm run test:deep`, which runs every suite at full length. */
export const isDeep = process.env.PETSTORE_TEST_DEEP === '1';

/** How often a test repeats what only gains confidence by repetition. */
export function rounds<T = number>(quick: T, deep: T): T {
  return isDeep ? deep : quick;
}
