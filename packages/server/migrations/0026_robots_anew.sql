-- Older workers kept "everything is allowed" for a robots.txt that they could not read: too large, in an unknown encoding, answered
-- with 429, at an address that they might not ask. Which of these rows are such cannot be told from those without a robots.txt.
DELETE FROM robots_cache WHERE outcome = 'allow_all';
