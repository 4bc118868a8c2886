/** An id as people can tell it from others: in quotes where blanks at its ends, or nothing at all, would not be seen. */
export const formatId = (id: string): string => (id !== '' && id.trim() === id ? id : JSON.stringify(id));
