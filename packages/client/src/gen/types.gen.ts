// Generated from spec/openapi.yaml (157b0c322dc34b91) by `npm run generate`. Do not edit.

export type { ApiError, CategoryId, ErrorCode, NewPet, Pet, PetId, PetName, PetStatus } from '@petstore/types';
