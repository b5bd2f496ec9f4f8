/** A segment's file: named by the first identifier in it, `json` once it is sealed, `jsonl` while it grows. */
export interface SegmentName {
  first: number;
  form: 'json' | 'jsonl';
}

export const firstSegment: SegmentName = { first: 1, form: 'jsonl' };

export function segmentFile({ first, form }: SegmentName): string {
  return `${String(first).padStart(16, '0')}.${form}`;
}

export function segmentName(file: string): SegmentName | undefined {
  const [, first, form] = /^(\d{16})\.(jsonl?)$/.exec(file) ?? [];
  return first && (form === 'json' || form === 'jsonl') ? { first: Number(first), form } : undefined;
}

/** Whether the file is an unfinished one that a crash left behind. */
export function isUnfinished(file: string): boolean {
  return /^\d{16}\.json\.tmp$/.test(file);
}
