// Generated from spec/openapi.yaml (cd327a7edb82c701) by `npm run generate`. Do not edit.

export type { ApiError, CategoryId, ErrorCode, NewPet, Pet, PetId, PetName, PetStatus } from '@petstore/types';
