import { mount } from 'svelte';
import Feed from './Feed.svelte';

mount(Feed, { target: document.getElementById('feed') });
